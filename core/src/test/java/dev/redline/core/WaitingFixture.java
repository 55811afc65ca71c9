package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;

/** An engine on a timer and a store whose common clock the test moves. */
abstract class WaitingFixture {
  static final Duration MS = Duration.ofMillis(1);

  final ManualWaitTimer timer = new ManualWaitTimer();
  final LocalStore store = new LocalStore(1000, timer::micros);
  final List<RateLimitEngine> engines = new ArrayList<>();

  @AfterEach
  void close() {
    engines.forEach(RateLimitEngine::close);
    store.close();
  }

  static EngineSettings waiting(boolean enabled, int maxWaits) {
    return EngineSettings.DEFAULT.withWaiting(
        OnLimitExceed.REJECT, new EngineSettings.Waiting(enabled, Duration.ofSeconds(3), maxWaits));
  }

  RateLimitEngine engine(RuleBook book, EngineSettings settings) {
    return engine(RateLimitEngine.builder(store).book(book).settings(settings));
  }

  RateLimitEngine engine(RateLimitEngine.Builder builder) {
    RateLimitEngine engine = builder.waitTimer(timer).build();
    engines.add(engine);
    return engine;
  }

  KeyedLimiter limiter(RateLimitBand... bands) {
    return engine(plan(bands), waiting(false, 100)).plan("p");
  }

  static RuleBook plan(RateLimitBand... bands) {
    return RuleBook.builder().plans(List.of(RateLimitPlan.of("p", bands))).build();
  }

  static KeyedLimiter spent(KeyedLimiter limiter, int tokens) {
    assertThat(limiter.tryAcquire("k", tokens)).isTrue();
    return limiter;
  }

  static CompletableFuture<RateLimitResult> wait(
      KeyedLimiter limiter, long tokens, Duration atMost) {
    return limiter.acquireAsync("k", tokens, atMost).toCompletableFuture();
  }

  static Reason reason(CompletableFuture<RateLimitResult> ended) {
    assertThat(ended).isDone();
    return ended.join().reason();
  }

  static RateLimitBand perSecond(int tokens) {
    return RateLimitBand.of(tokens, tokens, Duration.ofSeconds(1));
  }

  static RateLimitRule.Builder rule(String id, int perSecond) {
    return RateLimitRule.builder().id(id).addBand(perSecond(perSecond));
  }

  static CompletableFuture<RateLimitResult> checkWaiting(RateLimitEngine engine) {
    return engine.handle(LimitCheck.ofRequest(EngineFixture.request("/"))).toCompletableFuture();
  }

  /** A store whose acquisitions the test completes, or not. */
  static final class SlowStore implements StorageProvider {
    final List<CompletableFuture<Outcome>> pending = new ArrayList<>();
    boolean throwing;

    void decide(int i, boolean allowed) {
      Outcome outcome = new Outcome();
      outcome.reset(1);
      outcome.views()[0] = allowed ? 0 : 1_000_000;
      if (allowed) {
        outcome.pass(0);
      }
      outcome.decide(allowed, EngineFixture.START);
      pending.get(i).complete(outcome);
    }

    @Override
    public String type() {
      return "slow";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      if (throwing) {
        throw new IllegalStateException("on purpose");
      }
      CompletableFuture<Outcome> stage = new CompletableFuture<>();
      pending.add(stage);
      return stage;
    }

    @Override
    public void close() {}
  }

  static final EngineSettings CLOSED =
      new EngineSettings(
          false, Optional.empty(), EngineSettings.MissingRules.ALLOW, OnStoreFailure.CLOSED, 1);
}
