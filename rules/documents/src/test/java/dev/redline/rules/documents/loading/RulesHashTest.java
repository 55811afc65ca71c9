package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.reading.RuleDocumentReader;
import java.util.List;
import org.junit.jupiter.api.Test;

class RulesHashTest {
  private static final String RULES =
      """
      version: 3
      rules:
        - { id: a, limit: 5/s, metadata: { team: x, cost: y, zone: z } }
        - { id: b, limit: 7/s, methods: [GET, PUT, POST] }
      """;

  private static long hash(String yaml) {
    ReadResult read =
        RuleDocumentReader.withoutPlaceholders().read(List.of(new Document("rules.yaml", yaml)));
    assertThat(read.errors()).isEmpty();
    return RulesHash.of(read.document());
  }

  @Test
  void isEqualForEqualRules() {
    String otherOrder =
        """
        version: 9
        rules:
          - { limit: 7/s, id: b, methods: [POST, GET, PUT] }
          - { id: a, metadata: { zone: z, team: x, cost: y }, limit: 5/s }
        """;
    assertThat(hash(otherOrder)).isEqualTo(hash(RULES));
  }

  @Test
  void differsAfterAnyChange() {
    assertThat(
            List.of(hash(RULES), hash(RULES.replace("7/s", "8/s")), hash(RULES.replace("x", "w"))))
        .doesNotHaveDuplicates();
  }

  @Test
  void isExactAsDouble() {
    for (int limit = 1; limit <= 100; limit++) {
      long hash = hash(RULES.replace("7/s", limit + "/s"));
      assertThat(hash).isBetween(0L, (1L << 48) - 1);
    }
  }
}
