package dev.redline.rules.documents;

import static dev.redline.rules.documents.Documents.errorWith;
import static dev.redline.rules.documents.Documents.ruleWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleFieldsTest {
  private static final String LIMIT = "limit: 10/s";

  @Test
  void shortRuleHasTheDefaultsOfTheContract() {
    RateLimitRule rule = ruleWith(LIMIT);
    assertThat(rule.id()).isEqualTo("r");
    assertThat(rule.ruleSetId()).isEqualTo("default");
    assertThat(rule.action()).isEqualTo(Action.LIMIT);
    assertThat(rule.paths()).isEmpty();
    assertThat(rule.methods()).isEmpty();
    assertThat(rule.match().isAny()).isTrue();
    assertThat(rule.key()).containsExactly(KeyField.global());
    assertThat(rule.onMissingIdentity()).isEqualTo(OnMissingIdentity.USE_IP);
    assertThat(rule.cost()).isEqualTo(1);
    assertThat(rule.priority()).isZero();
    assertThat(rule.stop()).isFalse();
    assertThat(rule.enabled()).isTrue();
    assertThat(rule.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(rule.onLimitExceed()).isEmpty();
    assertThat(rule.onStoreFailure()).isEmpty();
    assertThat(rule.metadata()).isEmpty();
    assertThat(rule.createdAt()).isEmpty();
    assertThat(rule.bands())
        .containsExactly(RateLimitBand.of(10, 10, Duration.ofSeconds(1)).withLabel("r"));
  }

  @Test
  void readsAllFieldsOfALongRule() {
    RateLimitRule rule =
        ruleWith(
            "ruleSetId: api-limits",
            "path: /api/**",
            "method: get",
            "key: [ip, \"header:X-Tenant-Id\"]",
            "onMissingIdentity: SKIP",
            LIMIT,
            "cost: 3",
            "priority: -7",
            "stop: true",
            "enabled: false",
            "mode: SHADOW",
            "onLimitExceed: WAIT_FOR_REFILL",
            "onStoreFailure: CLOSED",
            "createdAt: 2024-05-01T00:00:00Z",
            "updatedAt: 1763230059412");
    assertThat(rule.ruleSetId()).isEqualTo("api-limits");
    assertThat(rule.paths()).containsExactly("/api/**");
    assertThat(rule.methods()).containsExactly("GET");
    assertThat(rule.key()).containsExactly(KeyField.ip(), KeyField.header("X-Tenant-Id"));
    assertThat(rule.onMissingIdentity()).isEqualTo(OnMissingIdentity.SKIP);
    assertThat(rule.cost()).isEqualTo(3);
    assertThat(rule.priority()).isEqualTo(-7);
    assertThat(rule.stop()).isTrue();
    assertThat(rule.enabled()).isFalse();
    assertThat(rule.mode()).isEqualTo(Mode.SHADOW);
    assertThat(rule.onLimitExceed()).contains(OnLimitExceed.WAIT_FOR_REFILL);
    assertThat(rule.onStoreFailure()).contains(OnStoreFailure.CLOSED);
    assertThat(rule.createdAt()).contains("2024-05-01T00:00:00Z");
    assertThat(rule.updatedAt()).contains("1763230059412");
  }

  @Test
  void readsAliasesAlike() {
    RateLimitRule rule =
        Documents.rule(
            """
            - _id: a
              paths: [/a, /b]
              methods: [GET, post]
              missingIdentity: reject
              final: true
              attributes: { tier: gold }
              limit: 1/s
            """);
    assertThat(rule.id()).isEqualTo("a");
    assertThat(rule.paths()).hasSize(2);
    assertThat(rule.methods()).containsExactly("GET", "POST");
    assertThat(rule.onMissingIdentity()).isEqualTo(OnMissingIdentity.REJECT);
    assertThat(rule.stop()).isTrue();
    assertThat(rule.metadata()).isEqualTo(Map.of("tier", "gold"));
  }

  @ParameterizedTest
  @CsvSource({
    "onLimitExceed, REJECT_REQUEST, REJECT",
    "onLimitExceed, reject-request, REJECT",
    "onLimitExceed, waitForRefill, WAIT_FOR_REFILL",
    "onStoreFailure, fail-open, OPEN",
    "onStoreFailure, FAIL_CLOSED, CLOSED",
    "onStoreFailure, local, LOCAL",
  })
  void ignoresCaseDashesAndUnderscoresOfWords(String field, String word, String meaning) {
    RateLimitRule rule = ruleWith(LIMIT, field + ": " + word);
    Enum<?> value =
        field.equals("onLimitExceed")
            ? rule.onLimitExceed().orElseThrow()
            : rule.onStoreFailure().orElseThrow();
    assertThat(value.name()).isEqualTo(meaning);
  }

  @ParameterizedTest
  @CsvSource({
    "GLOBAL, global",
    "IP, ip",
    "ip, ip",
    "PER_IP, ip",
    "USER_ID, userId",
    "user, userId",
    "PER_USER, userId",
    "API_KEY, apiKey",
    "api_key, apiKey",
    "per-api-key, apiKey",
  })
  void readsLimitScopeLikeKey(String scope, String key) {
    assertThat(ruleWith(LIMIT, "limitScope: " + scope).key())
        .isEqualTo(ruleWith(LIMIT, "key: " + key).key());
  }

  @Test
  void readsFieldsOfACompositeScope() {
    assertThat(
            ruleWith(
                    LIMIT,
                    "limitScope: COMPOSITE",
                    "compositeKeyFields: [ip, userId, \"attribute:tenant\"]")
                .key())
        .containsExactly(KeyField.ip(), KeyField.userId(), KeyField.attribute("tenant"));
  }

  @Test
  void treatsEmptyCompositeFieldsAsAbsent() {
    assertThat(ruleWith(LIMIT, "limitScope: IP", "compositeKeyFields: []").key())
        .containsExactly(KeyField.ip());
  }

  @Test
  void acceptsPathVariableAsKey() {
    assertThat(ruleWith(LIMIT, "path: /users/{id}", "key: path:id").key())
        .containsExactly(KeyField.pathVariable("id"));
    assertThat(
            Documents.errors(
                Documents.withFields("path: /users/{name}", "key: path:id", "limit: 10/x")))
        .containsExactly(
            "rules.yaml:4: rule 'r': key 'path:id': no path of the rule has a {id}",
            "rules.yaml:5: rule 'r': limit '10/x': PERIOD must be s, m, h, d or a duration such as"
                + " 10s");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: ip\n    limitScope: IP",
        "key: ip\n    compositeKeyFields: [ip]",
        "limitScope: COMPOSITE",
        "limitScope: IP\n    compositeKeyFields: [ip]",
        "limitScope: PER_PLANET",
        "key: planet",
        "key: []",
        "key: path:id",
        "path: /a\n    paths: [/b]",
        "stop: true\n    final: true",
        "metadata: {a: 1}\n    attributes: {b: 1}",
        "paths: []",
        "match: { clientIps: [] }",
      })
  void reportsEachContradictionOnce(String fields) {
    RuleProblem problem = errorWith(LIMIT, fields);
    assertThat(problem.rule()).contains("r");
    assertThat(problem.field()).isPresent();
    assertThat(problem.line()).isGreaterThanOrEqualTo(4);
  }

  @Test
  void readsMatchConditions() {
    RateLimitRule rule =
        ruleWith(
            LIMIT,
            "match:",
            "  headers: { X-Tier: gold*, X-Version: 010 }",
            "  attributes: { tenant: t1 }",
            "  clientIps: [10.0.0.0/8, \"2001:db8::/32\"]",
            "  userIds: [u-?, admin]");
    assertThat(Documents.named(rule, "headers").get("X-Tier")).isEqualTo("gold*");
    assertThat(Documents.named(rule, "headers").get("X-Version")).isEqualTo("010");
    assertThat(Documents.named(rule, "attributes").get("tenant")).isEqualTo("t1");
    assertThat(Documents.texts(rule, "clientIps")).hasSize(2);
    assertThat(Documents.texts(rule, "userIds")).hasSize(2);
  }

  @Test
  void acceptsAnyNamesInMetadata() {
    RateLimitRule rule =
        ruleWith(
            LIMIT,
            "metadata:",
            "  tier: premium",
            "  seats: 12",
            "  huge: 123456789012345678901234567890",
            "  share: 0.25",
            "  trial: false",
            "  code: 010",
            "  nothing: null",
            "  teams: [a, null, { name: b, empty: }]");
    assertThat(rule.metadata())
        .containsExactly(
            Map.entry("tier", "premium"),
            Map.entry("seats", 12L),
            Map.entry("huge", new BigInteger("123456789012345678901234567890")),
            Map.entry("share", new BigDecimal("0.25")),
            Map.entry("trial", false),
            Map.entry("code", "010"),
            Map.entry("teams", List.of("a", Map.of("name", "b"))));
  }

  @Test
  void rejectsLimitsOfAllowAndDeny() {
    assertThat(ruleWith("action: ALLOW").action()).isEqualTo(Action.ALLOW);
    assertThat(ruleWith("action: deny", "bands: []", "plans: []").action()).isEqualTo(Action.DENY);
    assertThat(errorWith("action: ALLOW", LIMIT).toString())
        .isEqualTo("rules.yaml:4: rule 'r': action ALLOW takes no limits; leave out limit");
  }

  @Test
  void rejectsLimitRuleWithoutLimit() {
    assertThat(errorWith("path: /a").toString())
        .isEqualTo("rules.yaml:2: rule 'r': needs at least one of limit, bands, plan, plans");
  }

  @Test
  void combinesLimitsBandsAndPlans() {
    RuleDocument document =
        Documents.valid(
            """
            plans: [{ id: gold, limit: 1/s }, { id: daily, limit: 5/d }]
            rules:
              - id: r
                limit: [10/s, 100/m]
                bands: [{ capacity: 5, refillPeriod: 1h }]
                plan: gold
                plans: [daily, gold]
            """);
    RateLimitRule rule = document.rules().get(0);
    assertThat(rule.bands().stream().map(band -> band.label().orElseThrow()))
        .containsExactly("r-1", "r-2", "r-3");
    assertThat(rule.plans()).containsExactly("gold", "daily");
    assertThat(document.toBook().build().compiled().rule("r").bands()).hasSize(5);
  }

  @Test
  void treatsNullAsAbsent() {
    RateLimitRule rule =
        ruleWith(
            LIMIT,
            "path: null",
            "key:",
            "limitScope: IP",
            "bands: null",
            "metadata: null",
            "cost:");
    assertThat(rule.paths()).isEmpty();
    assertThat(rule.key()).containsExactly(KeyField.ip());
    assertThat(rule.cost()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cost: 0|cost must be at least 1, was 0",
        "cost: 1.5|cost must be a whole number in range, was '1.5'",
        "cost: '2'|cost must be a whole number, was the text '2'; remove the quotes",
        "cost: [1]|cost must be a whole number, was '[1]'",
        "cost: 99999999999999999999|cost must be a whole number in range, was"
            + " '99999999999999999999'",
        "priority: 3000000000|priority must be between -2147483648 and 2147483647, was 3000000000",
        "enabled: yes|enabled must be true or false, was 'yes'",
        "stop: \"true\"|stop must be true or false, was the text 'true'; remove the quotes",
        "path: { a: b }|path must be a text, was '{a: b}'",
        "method: 'G T'|method must be an HTTP method, was 'G T'",
        "metadata: x|metadata must be a mapping, was 'x'",
        "match: [a]|match must be a mapping of conditions, was '[a]'",
        "ruleSetId: a/b|ruleSetId must be 1 to 128 characters of A-Z a-z 0-9 . _ -, was 'a/b'",
      })
  void reportsAllowedValuesForWrongOnes(String field, String message) {
    RuleProblem problem = errorWith(LIMIT, field);
    assertThat(problem.message()).isEqualTo(message);
    assertThat(problem.line()).isEqualTo(4);
    assertThat(problem.field()).contains(field.substring(0, field.indexOf(':')));
  }

  @Test
  void acceptsWholeNumbersWrittenAsFloats() {
    assertThat(ruleWith(LIMIT, "cost: 1e3", "priority: 10.0").cost()).isEqualTo(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "\"\"", "2026-13-01", "yesterday", "1.5"})
  void rejectsInvalidTimes(String text) {
    for (String field : List.of("createdAt", "updatedAt")) {
      assertThat(Documents.errorWith("limit: 1/s", field + ": " + text).toString())
          .contains(field + " must be a time");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-11-16T12:00:00Z",
        "2026-11-16T12:00:00.123+01:00",
        "2026-11-16T12:00",
        "2026-11-16",
        "1763230059412"
      })
  void keepsTimesAsTheyWereWritten(String text) {
    assertThat(Documents.ruleWith("limit: 1/s", "createdAt: " + text).createdAt()).hasValue(text);
  }
}
