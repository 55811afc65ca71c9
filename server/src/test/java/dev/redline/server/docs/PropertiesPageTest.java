package dev.redline.server.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.settings.PropertyDescription;
import dev.redline.server.settings.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Keeps the table of {@code docs/properties.md} equal to the properties of the modules. */
class PropertiesPageTest {
  private static final Path PAGE = Path.of("..", "docs", "properties.md");
  private static final Path EXPECTED = Path.of("target", "properties.md");
  private static final String TABLE = "| property | unless set | meaning |\n|---|---|---|\n";

  @Test
  void tableIsUpToDate() throws IOException {
    String page = Files.readString(PAGE);
    assertThat(page).contains(TABLE);
    String expected =
        page.substring(0, page.indexOf(TABLE))
            + TABLE
            + ServerSettings.CATALOG.descriptions().stream()
                .map(PropertiesPageTest::row)
                .collect(Collectors.joining());
    if (!page.equals(expected)) {
      Files.createDirectories(EXPECTED.getParent());
      Files.writeString(EXPECTED, expected);
    }
    assertThat(page)
        .as("docs/properties.md is stale; run: cp server/target/properties.md docs/properties.md")
        .isEqualTo(expected);
  }

  private static String row(PropertyDescription property) {
    return "| `%s` | %s | %s |\n"
        .formatted(
            property.name(),
            property.unlessSet().isEmpty() ? "–" : property.unlessSet(),
            property.text());
  }
}
