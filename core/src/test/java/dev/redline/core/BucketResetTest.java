package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BucketResetTest {
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine =
      RateLimitEngine.builder(store)
          .book(
              RuleBook.of(
                  rule("a", "one"),
                  rule("b", "two"),
                  RateLimitRule.builder().id("c").ruleSetId("two").action(Action.DENY).build()))
          .build();

  private static RateLimitRule rule(String id, String set) {
    return RateLimitRule.builder()
        .id(id)
        .ruleSetId(set)
        .key(KeyField.parse("userId"))
        .addBand(RateLimitBand.of(1, 1, Duration.ofDays(1)))
        .build();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private boolean take(String rule, String identity) {
    return engine.decideNow(LimitCheck.ofRule(rule, List.of(identity), 1), false).allowed();
  }

  private List<String> reset(BucketReset what) {
    return engine.reset(what).toCompletableFuture().join();
  }

  @Test
  void theRulesOfOneSetAreResetAndThoseOfOthersAreNot() {
    take("a", "u");
    take("b", "u");

    assertThat(reset(BucketReset.ofRuleSet("two"))).containsExactly("b", "c");

    assertThat(take("a", "u")).isFalse();
    assertThat(take("b", "u")).isTrue();
  }

  @Test
  void oneRuleOrOneOfItsCallersIsReset() {
    take("a", "u");
    take("a", "v");
    assertThat(reset(BucketReset.ofCaller("a", List.of("u")))).containsExactly("a");
    assertThat(take("a", "u")).isTrue();
    assertThat(take("a", "v")).isFalse();

    assertThat(reset(BucketReset.ofRule("a"))).containsExactly("a");
    assertThat(take("a", "u")).isTrue();
    assertThat(take("a", "v")).isTrue();
  }

  @Test
  void unknownRuleOrRuleSetIsNamed() {
    assertThatThrownBy(() -> reset(BucketReset.ofRule("x")))
        .isInstanceOf(UnknownNameException.class)
        .hasMessage("unknown rule 'x'");
    assertThatThrownBy(() -> reset(BucketReset.ofRuleSet("x")))
        .isInstanceOf(UnknownNameException.class)
        .hasMessage("unknown rule set 'x'");
    assertThatThrownBy(() -> reset(BucketReset.ofCaller("a", List.of("u", "v"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("identity must have 1 value");
  }
}
