package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleMatch;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RuleCheckTest {
  private static RateLimitResult ask(EngineFixture fixture, String rule, String... identity) {
    return fixture.engine().decideNow(LimitCheck.ofRule(rule, List.of(identity), 1), false);
  }

  private static RateLimitResult ask(
      EngineFixture fixture, String rule, List<RateLimitBand> limits, String... identity) {
    return fixture
        .engine()
        .decideNow(new LimitCheck.OfRule(rule, List.of(identity), Optional.of(limits), 1), false);
  }

  @Test
  void anIdentityIsTheSameBucketAsADescribedRequest() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("by-ip", 9).key(KeyField.ip()),
            rule("by-user", 9).key(KeyField.userId()),
            rule("by-key", 9).key(KeyField.apiKey()),
            rule("by-all", 9).key(KeyField.ip(), KeyField.apiKey(), KeyField.header("t")),
            rule("by-variable", 9).path("/u/{id}").key(KeyField.pathVariable("id")),
            rule("by-shop", 9).keyResolver(request -> request.attributeOrNull("shop")),
            rule("by-nothing", 9));
    fixture.check(
        RequestContext.builder()
            .path("/u/7")
            .clientIp("2001:db8::1")
            .userId("alice")
            .apiKey("k1")
            .header("t", "t1")
            .attribute("shop", "s1")
            .build());
    assertThat(ask(fixture, "by-ip", "2001:db8::ffff").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-user", "alice").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-key", "k1").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-all", "2001:db8::1", "k1", "t1").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-variable", "7").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-shop", "s1").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-nothing").remaining()).hasValue(7);
    assertThat(ask(fixture, "by-nothing", "ignored").remaining()).hasValue(6);
    assertThat(ask(fixture, "by-user", "bob").remaining()).hasValue(8);
  }

  @Test
  void pathMethodAndMatchAreNotConsulted() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 9)
                .path("/x")
                .method("PUT")
                .match(RuleMatch.builder().userId("nobody").build())
                .cost(2)
                .key(KeyField.userId()));
    assertThat(ask(fixture, "r", "alice").remaining()).hasValue(7);
  }

  @Test
  void rejectsMissingEmptyOrSurplusIdentity() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 9).key(KeyField.userId()),
            rule("own", 9).keyResolver(request -> request.userIdOrNull()));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "r"));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "r", ""));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "r", "a", "b"));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "own"));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "own", ""));
  }

  @Test
  void anUnknownRuleIsNamed() {
    EngineFixture fixture = EngineFixture.of(rule("r", 9));
    assertThatExceptionOfType(UnknownNameException.class)
        .isThrownBy(() -> ask(fixture, "other", "u"))
        .withMessageContaining("other");
  }

  @Test
  void disabledRuleAllowsWithReasonDisabled() {
    EngineFixture fixture = EngineFixture.of(rule("r", 1).enabled(false));
    for (int i = 0; i < 3; i++) {
      RateLimitResult result = ask(fixture, "r");
      assertThat(result.reason()).isEqualTo(Reason.DISABLED);
      assertThat(result.ruleId()).contains("r");
      assertThat(result.limit()).isEmpty();
    }
  }

  @Test
  void allowAndDenyRulesApply() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("yes").action(Action.ALLOW),
            RateLimitRule.builder().id("no").action(Action.DENY));
    assertThat(ask(fixture, "yes", "u").reason()).isEqualTo(Reason.ALLOWED);
    assertThat(ask(fixture, "yes", "u").ruleId()).contains("yes");
    assertThat(ask(fixture, "no", "u").reason()).isEqualTo(Reason.BLOCKED);
  }

  @Test
  void checkMayCarryItsOwnLimits() {
    EngineFixture fixture = EngineFixture.of(rule("other", 9));
    List<RateLimitBand> limits = List.of(perHour(2), perHour(3));
    RateLimitResult first = ask(fixture, "mine", limits, "u");
    assertThat(first.ruleId()).contains("mine");
    assertThat(first.band()).contains("mine-1");
    assertThat(first.bands()).extracting(BandStatus::label).containsExactly("mine-1", "mine-2");
    assertThat(ask(fixture, "mine", limits, "v").allowed()).isTrue();
    assertThat(ask(fixture, "mine", limits, "u").allowed()).isTrue();
    assertThat(ask(fixture, "mine", limits, "u").allowed()).isFalse();
  }

  @Test
  void identitiesOfForeignRulesAreUnambiguous() {
    EngineFixture fixture = EngineFixture.of(rule("other", 9));
    List<RateLimitBand> limits = List.of(perHour(1));
    assertThat(ask(fixture, "mine", limits, "a", "b").allowed()).isTrue();
    assertThat(ask(fixture, "mine", limits, "a\0b").allowed()).isTrue();
    assertThat(ask(fixture, "mine", limits, "a", "b").allowed()).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "mine", limits));
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "no/id", limits, "a"));
  }

  @Test
  void limitsOfTheCheckReplaceOnlyThoseOfTheRule() {
    EngineFixture fixture =
        EngineFixture.of(
            rule("r", 9).ruleSetId("api").key(KeyField.ip()).cost(2),
            rule("off", 9).enabled(false));
    List<RateLimitBand> limits = List.of(perHour(5));
    RateLimitResult result = ask(fixture, "r", limits, "10.0.0.1");
    assertThat(result.ruleSetId()).contains("api");
    assertThat(result.limit()).hasValue(5);
    assertThat(result.remaining()).hasValue(3);
    assertThat(ask(fixture, "off", limits, "u").reason()).isEqualTo(Reason.DISABLED);
    assertThatIllegalArgumentException().isThrownBy(() -> ask(fixture, "r", limits, "not-an-ip"));
  }
}
