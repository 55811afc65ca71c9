package dev.redline.rules.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** One document with ten mistakes gets ten messages, and none of it is applied. */
class TenMistakesTest {
  private static final String TEXT =
      """
      version: 1
      plans:
        - { id: gold, limit: 1/s burst 9 }
      rules:
        - id: misspelt
          limt: 10/s
        - id: wrong-type
          limit: 10/s
          priority: high
        - id: zero
          bands:
            - label: per-second
              capacity: 0
              refillPeriod: 1s
        - { id: enum, limit: 10/s, action: LIMITS }
        - { id: twin, limit: 10/s }
        - { id: twin, limit: 20/s }
        - { id: planless, plan: glod }
        - id: duration
          bands: [{ capacity: 10, refillPeriod: 60 }]
        - { id: pattern, path: /a/**/b, limit: 10/s }
        - id: cidr
          limit: 10/s
          match:
            clientIps: [10.0.0.0/99]
        - id: unset
          limit: "${RATE}/s"
        - { id: fine, limit: 10/s }
      """;

  private final ReadResult result = Documents.read(TEXT);

  @Test
  void reportsExactlyTenErrorsAsValidatePrintsThem() {
    assertThat(result.errors().stream().map(RuleProblem::toString))
        .containsExactly(
            "rules.yaml:6: rule 'misspelt': unknown field 'limt' (value '10/s'); did you mean"
                + " 'limit'?",
            "rules.yaml:9: rule 'wrong-type': priority must be a whole number, was 'high'",
            "rules.yaml:13: rule 'zero': band 'per-second': capacity must be at least 1, was 0",
            "rules.yaml:15: rule 'enum': action must be LIMIT, ALLOW or DENY, was 'LIMITS'; did"
                + " you mean 'LIMIT'?",
            "rules.yaml:17: rule 'twin': id 'twin' is already used at rules.yaml:16",
            "rules.yaml:18: rule 'planless': plan: unknown plan 'glod'; did you mean 'gold'?",
            "rules.yaml:20: rule 'duration': band 1: refillPeriod: a duration needs a unit, such"
                + " as 60s or 60ms, was '60'; did you mean '60s'?",
            "rules.yaml:21: rule 'pattern': path: bad path pattern '/a/**/b': '**' may only be the"
                + " first or the last segment",
            "rules.yaml:25: rule 'cidr': match: clientIps: not a CIDR block: '10.0.0.0/99'; write"
                + " an address or address/prefix, as 10.0.0.0/8",
            "rules.yaml:27: rule 'unset': limit: '${RATE}' is not set and has no default; set RATE"
                + " or write ${RATE:default} (written as '${RATE}/s')");
  }

  @Test
  void namesRuleFieldValueAndLineInEachError() {
    assertThat(
            result.errors().stream()
                .map(
                    problem ->
                        List.of(
                            problem.rule().orElseThrow(),
                            problem.field().orElseThrow(),
                            problem.value().orElseThrow(),
                            problem.line())))
        .containsExactly(
            List.of("misspelt", "limt", "10/s", 6),
            List.of("wrong-type", "priority", "high", 9),
            List.of("zero", "capacity", "0", 13),
            List.of("enum", "action", "LIMITS", 15),
            List.of("twin", "id", "twin", 17),
            List.of("planless", "plan", "glod", 18),
            List.of("duration", "refillPeriod", "60", 20),
            List.of("pattern", "path", "/a/**/b", 21),
            List.of("cidr", "clientIps", "10.0.0.0/99", 25),
            List.of("unset", "limit", "${RATE}/s", 27));
  }

  @Test
  void appliesNothing() {
    assertThat(result.valid()).isFalse();
    assertThat(result.document().rules()).isEmpty();
    assertThat(result.document().plans()).isEmpty();
    assertThat(result.document().ruleSetIds()).isEmpty();
    assertThat(result.warnings()).isEmpty();
  }

  @Test
  void reportsTenErrorsInOneRule() {
    List<String> errors =
        Documents.errors(
            """
            rules:
              - { id: r, limit: 1/s }
              - id: r
                pth: /x
                priority: high
                mode: SHADOWY
                path: x
                plan: glod
                match: { clientIps: [nowhere], headers: { X-A: "${UNSET}" } }
                bands:
                  - { capacity: 0, window: 1s }
                  - { capacity: 1, window: 1 parsec }
            """);
    assertThat(errors).hasSize(10).allMatch(line -> line.contains("rule 'r': "));
  }
}
