package dev.redline.core;

import static dev.redline.core.EngineFixture.book;
import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoreFailureTest {
  /** A store that is reached by I/O, and fails or not. */
  private static final class RemoteStore implements StorageProvider {
    private final LocalStore behind = new LocalStore();
    private boolean failing = true;
    private boolean remembers;
    private Optional<StorageProvider> ownFallback = Optional.empty();

    @Override
    public Optional<StorageProvider> fallback() {
      return ownFallback;
    }

    @Override
    public String type() {
      return "remote";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return failing
          ? CompletableFuture.failedFuture(
              new StoreException(StoreException.Kind.UNAVAILABLE, "on purpose"))
          : CompletableFuture.supplyAsync(
              () -> behind.acquire(acquisition).toCompletableFuture().join());
    }

    @Override
    public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
      if (!remembers) {
        return false;
      }
      outcome.reset(acquisition.bands());
      outcome.views()[0] = acquisition.key(0).limits().band(0).horizonMicros();
      outcome.decide(false, 0);
      return true;
    }

    @Override
    public void close() {
      behind.close();
    }
  }

  private final RemoteStore store = new RemoteStore();
  private final LocalStore fallback = new LocalStore();

  @AfterEach
  void close() {
    store.close();
    fallback.close();
  }

  private RateLimitEngine engine(OnStoreFailure unlessSaid, RuleBook book) {
    return RateLimitEngine.builder(store)
        .fallback(fallback)
        .settings(new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, unlessSaid, 1.0))
        .book(book)
        .build();
  }

  @Test
  void aStoreBehindIoDecidesLikeAnyOther() {
    store.failing = false;
    RateLimitEngine engine = engine(OnStoreFailure.CLOSED, book(rule("r", 2)));
    assertThat(engine.check(request("/")).remaining()).hasValue(1);
    assertThat(engine.checkAsync(request("/")).toCompletableFuture().join().remaining())
        .hasValue(0);
    RateLimitResult denied = engine.check(request("/"));
    assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(denied.degraded()).isFalse();
  }

  @Test
  void openAllowsEverything() {
    RateLimitEngine engine = engine(OnStoreFailure.OPEN, book(rule("r", 1)));
    for (int i = 0; i < 3; i++) {
      RateLimitResult result = engine.check(request("/"));
      assertThat(result.reason()).isEqualTo(Reason.FAIL_OPEN);
      assertThat(result.allowed()).isTrue();
      assertThat(result.degraded()).isTrue();
      assertThat(result.limit()).isEmpty();
    }
  }

  private RateLimitEngine engineWithShare(double share, RuleBook book) {
    return RateLimitEngine.builder(store)
        .fallback(fallback)
        .settings(
            new EngineSettings(
                false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, share))
        .book(book)
        .build();
  }

  private static RequestContext costing(long cost) {
    return RequestContext.builder().path("/").cost(cost).build();
  }

  @Test
  void costAboveTheShareButNotTheLimitHasAWait() {
    RateLimitEngine engine = engineWithShare(0.1, book(rule("r", 100)));
    RateLimitResult result = engine.check(costing(50));
    assertThat(result.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(result.degraded()).isTrue();
    assertThat(result.retryAfterMs()).hasValue(1000);
    assertThat(engine.check(costing(10)).allowed()).isTrue();
    assertThat(engine.check(costing(50)).retryAfterMs().orElseThrow()).isGreaterThan(3_000_000);
    assertThat(engine.check(costing(101)).reason()).isEqualTo(Reason.COST_EXCEEDS_CAPACITY);
  }

  @Test
  void theLongestWaitIsReportedAlsoIfAnotherRuleHasTooSmallAShare() {
    RateLimitEngine engine = engineWithShare(0.1, book(rule("large", 1000), rule("small", 100)));
    assertThat(engine.check(costing(10)).allowed()).isTrue();
    RateLimitResult result = engine.check(costing(100));
    assertThat(result.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(result.ruleId()).contains("small");
    assertThat(result.retryAfterMs()).isPresent();
  }

  @Test
  void closedDeniesForOneSecond() {
    RateLimitEngine engine = engine(OnStoreFailure.CLOSED, book(rule("r", 1)));
    RateLimitResult result = engine.checkAsync(request("/")).toCompletableFuture().join();
    assertThat(result.reason()).isEqualTo(Reason.FAIL_CLOSED);
    assertThat(result.allowed()).isFalse();
    assertThat(result.degraded()).isTrue();
    assertThat(result.retryAfterMs()).hasValue(1000);
    assertThat(result.ruleId()).contains("r");
    assertThat(result.limit()).isEmpty();
  }

  @Test
  void localDecidesByTheFallback() {
    RateLimitEngine engine = engine(OnStoreFailure.LOCAL, book(rule("r", 1)));
    RateLimitResult first = engine.check(request("/"));
    assertThat(first.reason()).isEqualTo(Reason.LOCAL_FALLBACK);
    assertThat(first.degraded()).isTrue();
    assertThat(first.remaining()).hasValue(0);
    RateLimitResult second = engine.check(request("/"));
    assertThat(second.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(second.degraded()).isTrue();
    assertThat(second.retryAfterMs()).isPresent();
  }

  @Test
  void aNodeGrantsItsShareOfTheLimitAndNoMore() {
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .fallback(fallback)
            .settings(
                new EngineSettings(
                    false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.LOCAL, 0.3))
            .book(book(rule("r", 10)))
            .build();
    for (int left = 2; left >= 0; left--) {
      RateLimitResult result = engine.check(request("/"));
      assertThat(result.reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      assertThat(result.limit()).hasValue(3);
      assertThat(result.remaining()).hasValue(left);
    }
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    store.failing = false;
    assertThat(engine.check(request("/")).limit()).hasValue(10);
  }

  @Test
  void denialOfTheStoreHoldsWhileItFails() {
    RateLimitEngine engine = engine(OnStoreFailure.LOCAL, book(rule("r", 1)));
    store.remembers = true;
    RateLimitResult denied = engine.check(request("/"));
    assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(denied.degraded()).isTrue();
    assertThat(denied.retryAfterMs()).isPresent();
    store.remembers = false;
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
  }

  @Test
  void rejectsLocalWithoutAFallbackStore() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RateLimitEngine.builder(store).build())
        .withMessage(
            "settings: onStoreFailure LOCAL needs a fallback store, and store 'remote' has none:"
                + " use ResilientStore.of(store) or fallback(new LocalStore()), or say OPEN or"
                + " CLOSED");
    EngineSettings closed =
        new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.CLOSED, 1.0);
    RateLimitEngine engine =
        RateLimitEngine.builder(store).settings(closed).book(book(rule("r", 1))).build();
    RuleBook local = book(rule("l", 1).onStoreFailure(OnStoreFailure.LOCAL));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> engine.use(local))
        .withMessageStartingWith("rule 'l': onStoreFailure LOCAL needs a fallback store");
    assertThat(engine.check(request("/")).ruleId()).as("the rules in force stay").contains("r");
  }

  @Test
  void aStoreMayBringItsOwnFallback() {
    store.ownFallback = Optional.of(fallback);
    RateLimitEngine engine = RateLimitEngine.builder(store).book(book(rule("r", 1))).build();
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
  }

  @Test
  void theStrictestOfTheMatchingEnforcedRulesDecides() {
    RateLimitRule.Builder open = rule("open", 9).onStoreFailure(OnStoreFailure.OPEN);
    RateLimitRule.Builder local =
        rule("local", 9).onStoreFailure(OnStoreFailure.LOCAL).path("/l/**");
    RateLimitRule.Builder closed =
        rule("z-closed", 9).onStoreFailure(OnStoreFailure.CLOSED).path("/l/c");
    RateLimitRule.Builder shadow =
        rule("shadow", 9).onStoreFailure(OnStoreFailure.CLOSED).mode(Mode.SHADOW);
    RateLimitEngine engine = engine(OnStoreFailure.OPEN, book(open, local, closed, shadow));
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.FAIL_OPEN);
    assertThat(engine.check(request("/l")).reason()).isEqualTo(Reason.LOCAL_FALLBACK);
    assertThat(engine.check(request("/l/c")).reason()).isEqualTo(Reason.FAIL_CLOSED);
  }

  @Test
  void settingAppliesToRulesWithoutStrategy() {
    RuleBook book = book(rule("r", 9), rule("open", 9).onStoreFailure(OnStoreFailure.OPEN));
    assertThat(engine(OnStoreFailure.CLOSED, book).check(request("/")).reason())
        .isEqualTo(Reason.FAIL_CLOSED);
  }

  @Test
  void failureDeniesNothingIfAllRulesAreShadow() {
    RateLimitEngine engine =
        engine(
            OnStoreFailure.CLOSED,
            book(
                rule("trial", 9).mode(Mode.SHADOW).priority(1),
                RateLimitRule.builder().id("yes").action(Action.ALLOW).path("/yes")));
    RateLimitResult result = engine.check(request("/"));
    assertThat(result.reason()).isEqualTo(Reason.ALLOWED);
    assertThat(result.degraded()).isTrue();
    assertThat(engine.check(request("/yes")).ruleId()).contains("yes");
  }

  @Test
  void decisionWithoutBucketsDoesNotFail() {
    RateLimitEngine engine =
        engine(
            OnStoreFailure.CLOSED,
            book(RateLimitRule.builder().id("no").action(Action.DENY).path("/no")));
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(engine.check(request("/no")).reason()).isEqualTo(Reason.BLOCKED);
    assertThat(engine.check(request("/no")).degraded()).isFalse();
  }

  @Test
  void theErrorIsCountedForEachRuleAndTheStoreIsTimed() {
    List<String> told = new ArrayList<>();
    MetricsExporter metrics =
        new MetricsExporter() {
          @Override
          public RuleMeter meter(String ruleSetId, String ruleId) {
            return verdict -> told.add(ruleId + " " + verdict);
          }

          @Override
          public void stored(String name, boolean answered, long nanos) {
            told.add(name + " " + answered);
          }
        };
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .fallback(fallback)
            .metrics(metrics)
            .book(
                book(
                    rule("a", 1).onStoreFailure(OnStoreFailure.CLOSED).path("/closed"),
                    rule("b", 1).onStoreFailure(OnStoreFailure.LOCAL)))
            .build();
    engine.check(request("/closed"));
    assertThat(told).containsExactly("remote false", "a ERROR", "b ERROR");
    told.clear();
    engine.check(request("/"));
    assertThat(told).containsExactly("remote false", "b ALLOWED");
  }

  @Test
  void explanationHasNoBandsWhileTheStoreFails() {
    RateLimitEngine engine = engine(OnStoreFailure.CLOSED, book(rule("r", 1)));
    Explanation explanation =
        engine.explain(LimitCheck.ofRequest(request("/"))).toCompletableFuture().join();
    assertThat(explanation.decision().reason()).isEqualTo(Reason.FAIL_CLOSED);
    assertThat(explanation.rules().get(0).matched()).isTrue();
    assertThat(explanation.rules().get(0).bands()).isEmpty();
  }

  @Test
  void dryRunTakesNothingFromTheFallback() {
    RateLimitEngine engine = engine(OnStoreFailure.LOCAL, book(rule("r", 1)));
    for (int i = 0; i < 3; i++) {
      assertThat(engine.decideNow(LimitCheck.ofRequest(request("/")), true).reason())
          .isEqualTo(Reason.LOCAL_FALLBACK);
    }
    assertThat(engine.check(request("/")).allowed()).isTrue();
  }
}
