package dev.redline.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ExampleRulesTest {
  @Test
  void bundledExampleIsValid() throws IOException {
    try (ExampleRules example = new ExampleRules()) {
      var read =
          RuleDocumentReader.withoutPlaceholders().read(example.load().orElseThrow().documents());

      assertThat(read.errors()).isEmpty();
      assertThat(read.warnings()).isEmpty();
    }
  }
}
