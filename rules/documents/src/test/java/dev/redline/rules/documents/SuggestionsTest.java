package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionsTest {
  @ParameterizedTest
  @CsvSource({
    "limt, limit",
    "limits, limit",
    "Path, path",
    "pats, path",
    "on_limit_exceed, onLimitExceed",
    "onLimitExeed, onLimitExceed",
    "mehtod, method",
    "prority, priority",
    "ruleset-id, ruleSetId",
    "finale, final",
  })
  void suggestsClosestName(String written, String meant) {
    RuleProblem problem = Documents.errorWith("limit: 1/s", written + ": x");
    assertThat(problem.suggestion()).contains(meant);
    assertThat(problem.toString()).endsWith("; did you mean '" + meant + "'?");
  }

  @Test
  void suggestsNothingForDistantName() {
    RuleProblem problem = Documents.errorWith("limit: 1/s", "description: x");
    assertThat(problem.suggestion()).isEmpty();
    assertThat(problem.toString())
        .isEqualTo("rules.yaml:4: rule 'r': unknown field 'description' (value 'x')");
  }
}
