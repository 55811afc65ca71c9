package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.internal.key.IdentityDigest;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class PlansTest {
  private static final RateLimitPlan GOLD = RateLimitPlan.of("gold", perHour(10));
  private static final RateLimitPlan DAILY = RateLimitPlan.of("daily", perHour(5));

  private final EngineFixture fixture = EngineFixture.of(EngineFixture.plans(GOLD, DAILY));

  private List<Long> left(String plan, String key) {
    return fixture.left(plan, LimitCheck.ofPlans(List.of(plan), key, 1));
  }

  @Test
  void denialOfOnePlanTakesNothingFromTheOther() {
    List<String> both = List.of("gold", "daily");
    for (int i = 0; i < 5; i++) {
      assertThat(fixture.engine().allow("user:123", both, 1).allowed()).isTrue();
    }
    RateLimitResult sixth = fixture.engine().allow("user:123", both, 1);
    assertThat(sixth.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(sixth.plan()).contains("daily");
    assertThat(sixth.ruleId()).isEmpty();
    assertThat(sixth.ruleSetId()).isEmpty();
    assertThat(left("gold", "user:123")).containsExactly(5L);
  }

  @Test
  void planAndKeyAreOneBucketWhereverUsed() {
    fixture.engine().allow("k", List.of("gold", "daily"), 3);
    assertThat(fixture.engine().allow("k", "gold").remaining()).hasValue(6);
    assertThat(left("gold", "other")).containsExactly(10L);
  }

  @Test
  void longKeysBecomeDifferentDigests() {
    String longest = "k".repeat(256);
    List<String> keys =
        List.of(longest, longest + "a", longest + "b", IdentityDigest.of(longest + "a"), "x:");
    for (String key : keys) {
      assertThat(fixture.engine().allow(key, "gold").remaining()).as(key).hasValue(9);
      assertThat(left("gold", key)).containsExactly(9L);
    }
    LimitCheck asked = LimitCheck.ofPlans(List.of("gold"), "k".repeat(1_000_000), 1);
    assertThat(fixture.explain(asked).rules().get(0).identity().get(0)).hasSizeLessThan(100);
    assertThat(left("gold", "k".repeat(1_000_000))).containsExactly(10L);
  }

  @Test
  void tryAcquireUsesTheSameBucketForALongKey() {
    String key = "k".repeat(1_000_000);
    assertThat(fixture.engine().plan("gold").tryAcquire(key)).isTrue();
    assertThat(left("gold", key)).containsExactly(9L);
  }

  /** Identities are what a store keeps: a million characters must not be one of them. */
  @Test
  void storesReceiveNoLongKey() {
    List<Integer> lengths = new ArrayList<>();
    StorageProvider store =
        new StorageProvider() {
          @Override
          public String type() {
            return "lengths";
          }

          @Override
          public CompletionStage<Outcome> acquire(Acquisition acquisition) {
            lengths.add(acquisition.key(0).identity().length());
            Outcome outcome = new Outcome();
            outcome.reset(acquisition.bands());
            outcome.decide(true, 0);
            return CompletableFuture.completedFuture(outcome);
          }

          @Override
          public void close() {}
        };
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .fallback(new LocalStore())
            .book(EngineFixture.plans(GOLD))
            .build();
    engine.allow("k".repeat(256), "gold");
    engine.allow("k".repeat(257), "gold");
    engine.allow("k".repeat(1_000_000), "gold");
    assertThat(lengths).containsExactly(256, 66, 66);
  }

  @Test
  void aPlanNamedTwiceCountsOnce() {
    assertThat(fixture.engine().allow("k", List.of("gold", "gold"), 1).remaining()).hasValue(9);
  }

  @Test
  void aPlanOfARuleIsTheRulesOwnBucket() {
    EngineFixture mixed =
        EngineFixture.of(
            RuleBook.builder()
                .plans(List.of(DAILY))
                .rules(List.of(RateLimitRule.builder().id("r").plan("daily").build()))
                .build());
    RateLimitResult byRule = mixed.check("/");
    assertThat(byRule.ruleId()).contains("r");
    assertThat(byRule.band()).contains("daily");
    assertThat(mixed.engine().allow("k", "daily").remaining()).hasValue(4);
  }

  @Test
  void asynchronousResultIsTheSame() {
    assertThat(
            fixture
                .engine()
                .allowAsync("k", List.of("daily"), 2)
                .toCompletableFuture()
                .join()
                .remaining())
        .hasValue(3);
    assertThat(fixture.engine().allowAsync("k", List.of("nope"), 1).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(fixture.engine().allowAsync("k", List.of(), 1).toCompletableFuture())
        .isCompletedExceptionally();
  }

  @Test
  void anUnknownPlanIsNamedAndNothingIsTaken() {
    assertThatExceptionOfType(UnknownNameException.class)
        .isThrownBy(() -> fixture.engine().allow("k", List.of("gold", "silver"), 1))
        .withMessageContaining("silver");
    assertThat(left("gold", "k")).containsExactly(10L);
  }

  @Test
  void rejectsCheckWithoutPlansKeyOrTokens() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixture.engine().allow("k", List.of(), 1))
        .withMessageContaining("plan");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixture.engine().allow("", "gold"))
        .withMessageContaining("key");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> fixture.engine().allow("k", List.of("gold"), 0))
        .withMessageContaining("cost");
  }

  @Test
  void costAboveTheCapacityOfAPlanIsDenied() {
    assertThat(fixture.engine().allow("k", List.of("gold", "daily"), 6).reason())
        .isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }
}
