package dev.redline.bench.redis;

import dev.redline.bench.ZipfKeys;
import dev.redline.core.EngineSettings;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.LeaseSettings;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.testkit.AllowedReplay;
import dev.redline.testkit.AllowedReplay.Allowed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.HdrHistogram.Recorder;

/**
 * Whole checks of an engine whose store takes tokens ahead of demand: a request, its rule, the
 * acquisition and the result. Keys are drawn as Zipf's law says, or there is one.
 */
final class LeasedChecks implements Client {
  private static final int ZIPF_KEYS = 1000;
  private static final long SAMPLED = 31;
  private static final Duration VERIFIED = Duration.ofMillis(500);
  private static final RateLimitBand TIGHT =
      RateLimitBand.of(200_000, 400_000, Duration.ofSeconds(1));

  private final RedisStore store;
  private final RateLimitEngine engine;
  private final Recorder recorder = new Recorder(3);

  LeasedChecks(String uri) {
    store =
        RedisStore.start(RedisSettings.of(uri).withKeyPrefix("leased").withLease(LeaseSettings.ON));
    if (!store.awaitReady(Duration.ofSeconds(20))) {
      store.close();
      throw new IllegalStateException("no connection to " + uri);
    }
    engine =
        RateLimitEngine.builder(store)
            .settings(
                new EngineSettings(
                    false,
                    Optional.empty(),
                    EngineSettings.MissingRules.ALLOW,
                    OnStoreFailure.CLOSED,
                    1.0))
            .book(
                RuleBook.builder()
                    .rules(
                        List.of(
                            RateLimitRule.builder()
                                .id("per-user")
                                .path("/api/**")
                                .key(KeyField.userId())
                                .addBand(
                                    RateLimitBand.of(1_000_000_000, 1000, Duration.ofSeconds(1)))
                                .build()))
                    .build())
            .build();
  }

  /** Returns which key each of many equally likely draws stands for. */
  private static int[] draws(int count) {
    if (count == 1) {
      return new int[1];
    }
    ZipfKeys zipf = new ZipfKeys(ZIPF_KEYS, 1.0);
    SplittableRandom random = new SplittableRandom(count);
    return IntStream.range(0, count).map(i -> zipf.draw(random)).toArray();
  }

  @Override
  public Limiter limiter(BucketPopulation population) {
    int[] draws = draws(population.keys());
    LimitCheck[] checks = new LimitCheck[ZIPF_KEYS];
    for (int k = 0; k < checks.length; k++) {
      checks[k] =
          LimitCheck.ofRequest(
              RequestContext.builder()
                  .path("/api/orders")
                  .method("GET")
                  .userId("user-" + k)
                  .build());
    }
    return new Limiter() {
      @Override
      @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the result
      public void acquire(int i, Callback callback) {
        long start = (i & SAMPLED) == 0 ? System.nanoTime() : 0;
        engine
            .decideForEventLoop(checks[draws[i]], false)
            .whenComplete(
                (result, failure) -> {
                  if (start != 0) {
                    recorder.recordValue(Math.max(0, System.nanoTime() - start));
                  }
                  boolean decided = failure == null && !result.degraded();
                  callback.onDecision(
                      decided && result.allowed(),
                      decided ? null : new IllegalStateException("no decision in time"));
                });
      }

      @Override
      public boolean acquireAndWait(int i) {
        return engine.decideNow(checks[draws[i]], false).allowed();
      }
    };
  }

  /** Returns the latencies since the last call, of a part of the checks. */
  Sample timed(Sample sample) {
    var latencies = recorder.getIntervalHistogram();
    return sample.withLatencies(latencies, latencies.getMaxValue());
  }

  /**
   * Acquires more than a limit permits, and replays what was allowed.
   *
   * @throws AssertionError if that was too much
   */
  void verify() throws InterruptedException {
    RateLimitKey key =
        new RateLimitKey(
            new BucketLimits(OwnerKind.RULE, "tight", List.of(TIGHT)),
            "caller-" + System.nanoTime());
    List<Allowed> allowed = Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      threads.add(new Thread(() -> allowed.addAll(drain(key)), "verify-" + t));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    new AllowedReplay(List.of(TIGHT)).check(allowed);
  }

  private List<Allowed> drain(RateLimitKey key) {
    List<Allowed> allowed = new ArrayList<>();
    Acquisition one = Acquisition.of(key, 1);
    long end = System.nanoTime() + VERIFIED.toNanos();
    Outcome known = new Outcome();
    while (System.nanoTime() - end < 0) {
      Outcome outcome = store.acquireNow(one, known) ? known : store.acquireAndWait(one);
      if (outcome.allowed()) {
        allowed.add(new Allowed(outcome.nowMicros(), 1));
      }
    }
    return allowed;
  }

  @Override
  public void close() {
    engine.close();
    store.close();
  }
}
