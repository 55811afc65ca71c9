package dev.redline.server.rules;

import dev.redline.core.spi.ConfigProvider;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The example rules in the jar, used when no other rules are configured. */
public final class ExampleRules implements ConfigProvider {
  private static final String RESOURCE = "example-rules.yaml";

  @Override
  public String name() {
    return "the bundled " + RESOURCE;
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    try (InputStream in = ExampleRules.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new FileNotFoundException(RESOURCE);
      }
      String content = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Optional.of(new Snapshot("1", List.of(new Document(RESOURCE, content))));
    }
  }
}
