package dev.redline.bench.faults;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.settings.Settings;
import dev.redline.core.store.RemoteStore;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One fault drill: 64 callers make 2,000 checks per second in all, at fixed times, while Redis
 * fails and recovers. There is a rule for each failure strategy. {@link HistoryChecker} checks
 * every outcome of Redis.
 */
final class Drill {
  private static final int CALLERS = 64;
  private static final int DECISIONS_PER_SECOND = 2000;
  private static final int BUCKETS = 10;
  private static final int CAPACITY = 40;
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration WARM_UP = Duration.ofSeconds(1);
  private static final Duration MAX_RECOVERY = Duration.ofSeconds(20);

  /** Logs each attempt to reconnect, so it is turned off; a field keeps it from being collected. */
  private static final Logger CLIENT_LOG = Logger.getLogger("io.lettuce");

  static {
    CLIENT_LOG.setLevel(Level.OFF);
  }

  private final Fault fault;
  private final Duration outage;
  private final ConcurrentLinkedQueue<ObservedDecision> observed = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Throwable> escaped = new AtomicReference<>();
  private volatile boolean over;
  private volatile long longestStall;

  /** Creates a drill in which Redis fails for a duration. */
  Drill(Fault fault, Duration outage) {
    this.fault = fault;
    this.outage = outage;
  }

  /** Returns the command time-out of all drills. */
  static Duration timeout() {
    return TIMEOUT;
  }

  /** Returns the capacity of a bucket, which is also its refill per second. */
  static int capacity() {
    return CAPACITY;
  }

  /** Returns the number of identities. */
  static int callers() {
    return BUCKETS;
  }

  /** Runs the drill. */
  DrillReport run() {
    History history = new History();
    RedisSettings settings;
    try (Fault.FaultyRedis faultyRedis = fault.start()) {
      settings = RedisSettings.of(faultyRedis.uri()).withCommandTimeout(TIMEOUT);
      RedisStore redis = RedisStore.start(settings);
      RemoteStore recorded = new RecordingStore(redis, history.record("node", redis));
      CircuitBreakingStore breaker =
          new CircuitBreakingStore(recorded, Settings.parse(Map.of()).circuitBreaker(), TIMEOUT);
      try (breaker;
          LocalStore fallback = new LocalStore();
          RateLimitEngine engine =
              RateLimitEngine.builder(breaker).fallback(fallback).book(book()).build()) {
        if (!redis.awaitReady(Duration.ofSeconds(20))) {
          throw new IllegalStateException("Redis is not available: " + redis.health());
        }
        return run(faultyRedis, history, breaker, engine);
      }
    }
  }

  private static RuleBook book() {
    List<RateLimitRule> rules = new ArrayList<>();
    for (OnStoreFailure strategy : OnStoreFailure.values()) {
      rules.add(
          RateLimitRule.builder()
              .id(strategy.name())
              .path("/" + strategy.name())
              .key(KeyField.userId())
              .addBand(RateLimitBand.of(CAPACITY, CAPACITY, Duration.ofSeconds(1)))
              .onStoreFailure(strategy)
              .build());
    }
    return RuleBook.of(rules.toArray(new RateLimitRule[0]));
  }

  private DrillReport run(
      Fault.FaultyRedis faultyRedis,
      History history,
      CircuitBreakingStore breaker,
      RateLimitEngine engine) {
    List<Thread> callers = new ArrayList<>();
    for (int c = 0; c < CALLERS; c++) {
      int caller = c;
      callers.add(new Thread(() -> call(caller, engine), "caller-" + c));
    }
    callers.add(new Thread(this::measureStalls, "stalls"));
    callers.forEach(Thread::start);
    try {
      pause(WARM_UP);
      longestStall = 0;
      History.Span forgetting = fault.forgetting() ? history.forgetting() : null;
      faultyRedis.fail();
      long failedAt = System.nanoTime();
      long openedAt = awaitBreakerOpen(breaker, failedAt + outage.toNanos());
      pauseUntil(failedAt + outage.toNanos());
      faultyRedis.repair();
      if (forgetting != null) {
        forgetting.close();
      }
      long repairedAt = System.nanoTime();
      long recovered = awaitRecovery(breaker, repairedAt);
      pause(Duration.ofMillis(500));
      return report(history, failedAt, openedAt, repairedAt, recovered);
    } finally {
      over = true;
      callers.forEach(Drill::join);
    }
  }

  private DrillReport report(
      History history, long failedAt, long openedAt, long repairedAt, long recovered) {
    over = true;
    HistoryChecker.Report checked = HistoryChecker.check(history);
    return DrillReport.of(
        fault,
        List.copyOf(observed),
        escaped.get(),
        checked.toString(),
        longestStall,
        failedAt,
        openedAt,
        repairedAt,
        recovered);
  }

  /** Calls at fixed times: a slow decision delays later ones of this thread only. */
  private void call(int caller, RateLimitEngine engine) {
    long interval = 1_000_000_000L * CALLERS / DECISIONS_PER_SECOND;
    long next = System.nanoTime() + interval * caller / CALLERS;
    OnStoreFailure[] strategies = OnStoreFailure.values();
    try {
      for (int n = caller; !over; n++, next += interval) {
        pauseUntil(next);
        OnStoreFailure strategy = strategies[n % strategies.length];
        int bucket = caller % BUCKETS;
        RequestContext request =
            RequestContext.builder().path("/" + strategy).userId("user-" + bucket).build();
        long start = System.nanoTime();
        RateLimitResult result = engine.check(request);
        observed.add(ObservedDecision.of(strategy, bucket, start, System.nanoTime(), result));
      }
    } catch (RuntimeException | Error e) {
      escaped.compareAndSet(null, e);
    }
  }

  /** Wakes up every millisecond, to measure how long the machine itself stalls. */
  private void measureStalls() {
    long last = System.nanoTime();
    while (!over) {
      LockSupport.parkNanos(1_000_000);
      long now = System.nanoTime();
      longestStall = Math.max(longestStall, now - last);
      last = now;
    }
  }

  private static long awaitBreakerOpen(CircuitBreakingStore breaker, long until) {
    while (System.nanoTime() - until < 0) {
      if (breaker.state() != BreakerState.CLOSED) {
        return System.nanoTime();
      }
      LockSupport.parkNanos(500_000);
    }
    return DrillReport.NEVER;
  }

  /** Waits until the breaker is closed and no decision was degraded for 300 ms. */
  private long awaitRecovery(CircuitBreakingStore breaker, long repairedAt) {
    long quietSince = System.nanoTime();
    while (System.nanoTime() - repairedAt < MAX_RECOVERY.toNanos()) {
      ObservedDecision last = lastDegraded();
      boolean closed = breaker.state() == BreakerState.CLOSED && breaker.health().up();
      if (!closed) {
        quietSince = System.nanoTime();
      } else if (System.nanoTime() - quietSince > 300_000_000L
          && (last == null || System.nanoTime() - last.endNanos() > 300_000_000L)) {
        return last == null ? repairedAt : Math.max(repairedAt, last.endNanos());
      }
      LockSupport.parkNanos(5_000_000);
    }
    return DrillReport.NEVER;
  }

  private @Nullable ObservedDecision lastDegraded() {
    ObservedDecision last = null;
    for (ObservedDecision one : observed) {
      if (one.degraded() && (last == null || one.endNanos() - last.endNanos() > 0)) {
        last = one;
      }
    }
    return last;
  }

  private static void pause(Duration duration) {
    pauseUntil(System.nanoTime() + duration.toNanos());
  }

  private static void pauseUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
