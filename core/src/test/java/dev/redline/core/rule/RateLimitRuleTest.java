package dev.redline.core.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class RateLimitRuleTest {
  private static final RateLimitBand BAND = RateLimitBand.of(10, 10, Duration.ofSeconds(1));

  private static void rejects(Runnable building, String... words) {
    assertThatIllegalArgumentException()
        .isThrownBy(building::run)
        .satisfies(e -> assertThat(e.getMessage()).contains(words));
  }

  @Test
  void absentFieldsHaveTheirDefault() {
    RateLimitRule rule = RateLimitRule.builder().id("r").addBand(BAND).build();
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
    assertThat(rule.bands()).containsExactly(BAND.withLabel("r"));
  }

  @Test
  void isBuiltAsTheReadmeShows() {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("api-rule")
            .ruleSetId("api-limits")
            .path("/api/*")
            .addBand(BAND)
            .limitScope(LimitScope.IP)
            .build();
    assertThat(rule.key()).containsExactly(KeyField.ip());
    assertThat(rule.ruleSetId()).isEqualTo("api-limits");
  }

  @Test
  void aLimitRuleNeedsALimitAndOthersTakeNone() {
    rejects(() -> RateLimitRule.builder().id("r").build(), "limit, bands, plan");
    rejects(
        () -> RateLimitRule.builder().id("r").action(Action.ALLOW).addBand(BAND).build(),
        "ALLOW takes no limits");
    rejects(
        () -> RateLimitRule.builder().id("r").action(Action.DENY).plan("gold").build(),
        "DENY takes no limits");
    assertThat(RateLimitRule.builder().id("r").plan("gold").build().plans())
        .containsExactly("gold");
  }

  @Test
  void idsAreRequiredAndChecked() {
    rejects(() -> RateLimitRule.builder().addBand(BAND).build(), "id is required");
    rejects(() -> RateLimitRule.builder().id("a b"), "'a b'");
    rejects(() -> RateLimitRule.builder().id("ü"), "'ü'");
    rejects(() -> RateLimitRule.builder().ruleSetId(""), "ruleSetId");
    rejects(() -> RateLimitRule.builder().plan("gold,daily"), "plan", "'gold,daily'");
    assertThat(RateLimitRule.builder().id("A-z.0_9").addBand(BAND).build().id())
        .isEqualTo("A-z.0_9");
  }

  @Test
  void rejectsPathVariableOfTheKeyThatNoPathHas() {
    RateLimitRule.Builder rule =
        RateLimitRule.builder().id("r").addBand(BAND).key(KeyField.pathVariable("id"));
    rejects(rule::build, "path:id", "{id}");
    assertThat(rule.path("/u/{id}").build().key()).containsExactly(KeyField.pathVariable("id"));
  }

  @Test
  void methodsIgnoreCaseAndGetIncludesHead() {
    RateLimitRule rule =
        RateLimitRule.builder().id("r").addBand(BAND).method("get").method("Post").build();
    assertThat(rule.methods()).containsExactly("GET", "POST");
    assertThat(rule.matchesMethod("HEAD")).isTrue();
    assertThat(rule.matchesMethod("PUT")).isFalse();
    assertThat(rule.matchesMethod(null)).isFalse();
    RateLimitRule head = RateLimitRule.builder().id("r").addBand(BAND).method("HEAD").build();
    assertThat(head.matchesMethod("GET")).isFalse();
    rejects(() -> RateLimitRule.builder().method("GET POST"), "'GET POST'");
  }

  @Test
  void costIsWithinRange() {
    rejects(() -> RateLimitRule.builder().cost(0), "cost must be at least 1");
    rejects(
        () -> RateLimitRule.builder().cost(RateLimitBand.MAX_TOKENS + 1), "cost must be at most");
  }

  @Test
  void aCompositeScopeNeedsItsFields() {
    rejects(() -> RateLimitRule.builder().limitScope(LimitScope.COMPOSITE), "COMPOSITE");
    assertThat(LimitScope.USER_ID.fields()).containsExactly(KeyField.userId());
    assertThat(LimitScope.API_KEY.fields()).containsExactly(KeyField.apiKey());
    assertThat(LimitScope.GLOBAL.fields()).containsExactly(KeyField.global());
    assertThat(LimitScope.COMPOSITE.fields()).isEmpty();
  }

  private static RateLimitRule.Builder complete() {
    return RateLimitRule.builder()
        .id("r")
        .path("/api/{id}")
        .method("GET")
        .match(RuleMatch.builder().header("X-A", "b*").clientIp("10.0.0.0/8").build())
        .key(KeyField.ip())
        .addBand(BAND)
        .plan("gold")
        .metadata("team", "core")
        .createdAt("yesterday");
  }

  @Test
  void rulesBuiltAlikeAreEqual() {
    assertThat(complete().build())
        .isEqualTo(complete().build())
        .hasSameHashCodeAs(complete().build());
    assertThat(complete().build()).isNotEqualTo("r");
  }

  @Test
  void rulesThatDifferInOneFieldAreNotEqual() {
    List<UnaryOperator<RateLimitRule.Builder>> changes =
        List.of(
            rule -> rule.id("other"),
            rule -> rule.ruleSetId("other"),
            rule -> rule.path("/other"),
            rule -> rule.method("PUT"),
            rule -> rule.match(RuleMatch.builder().header("X-A", "c*").build()),
            rule -> rule.key(KeyField.userId()),
            rule -> rule.keyResolver(request -> "one"),
            rule -> rule.onMissingIdentity(OnMissingIdentity.SKIP),
            rule -> rule.addBand(BAND.withLabel("second")),
            rule -> rule.plan("daily"),
            rule -> rule.cost(2),
            rule -> rule.priority(1),
            rule -> rule.stop(true),
            rule -> rule.enabled(false),
            rule -> rule.mode(Mode.SHADOW),
            rule -> rule.onLimitExceed(OnLimitExceed.REJECT),
            rule -> rule.onStoreFailure(OnStoreFailure.OPEN),
            rule -> rule.metadata("team", "other"),
            rule -> rule.createdAt("today"),
            rule -> rule.updatedAt("today"));
    Set<RateLimitRule> different = new HashSet<>(Set.of(complete().build()));
    changes.forEach(change -> different.add(change.apply(complete()).build()));
    assertThat(different).hasSize(1 + changes.size());
    assertThat(RateLimitRule.builder().id("r").action(Action.ALLOW).build())
        .isNotEqualTo(RateLimitRule.builder().id("r").action(Action.DENY).build());
  }
}
