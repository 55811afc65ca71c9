package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The time for ten thousand rules grows linearly; the bounds are wide, for slow machines. */
class ManyRulesTest {
  private static final int RULES = 10_000;

  static String rules(String fields) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < RULES; i++) {
      text.append("  - { id: rule-%d, %s }\n".formatted(i, fields.replace("#", "" + i)));
    }
    return text.toString();
  }

  @Test
  void readsAndWritesTenThousandRules() {
    String text = rules("path: /api/v#/**, key: ip, limit: [10/s, 100/m], priority: 3");
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          RuleDocument document = Documents.valid(text);
          assertThat(document.rules()).hasSize(RULES);
          assertThat(Documents.valid(RuleDocumentWriter.toJson(document)).rules()).hasSize(RULES);
        });
  }

  @Test
  void listsFirstThousandOfTwentyThousandMistakes() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () ->
            assertThat(Documents.errors(rules("plan: plan-#, limt: 3")))
                .hasSize(1001)
                .last()
                .isEqualTo("rules.yaml:1001: … and 19000 more errors"));
  }

  @Test
  void listsFirstThousandWarnings() {
    assertThat(Documents.warnings(rules("path: /api/v#/*, limit: 1/s")))
        .hasSize(1001)
        .last()
        .isEqualTo("rules.yaml:1001: … and 9000 more warnings");
  }

  @Test
  void readsHundredThousandRulesWithSeveralFields() {
    String fields = "path: /v#, method: GET, key: ip, limit: [10/s, 100/m], priority: 3";
    String all = rules(fields).substring("rules:\n".length());
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < 10; i++) {
      text.append(all.replace("rule-", "rule-" + i + "-"));
    }
    assertThat(Documents.valid(text.toString()).rules()).hasSize(10 * RULES);
  }

  @Test
  void comparesTenThousandRulesThatStop() {
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () ->
            assertThat(Documents.valid(rules("path: /api/v#/**, action: ALLOW")).rules())
                .hasSize(RULES));
  }
}
