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
 * Callers that go on asking at their own pace while Redis fails and comes back: 64 of them, 2,000
 * decisions a second in all, over rules of each failure strategy. Every answer of Redis is judged
 * by the history checker.
 */
public final class Drill {
  private static final int CALLERS = 64;
  private static final int DECISIONS_PER_SECOND = 2000;
  private static final int BUCKETS = 10;
  private static final int CAPACITY = 40;
  private static final Duration TIMEOUT = Duration.ofMillis(50);
  private static final Duration WARM_UP = Duration.ofSeconds(1);
  private static final Duration BACK_WITHIN = Duration.ofSeconds(20);

  /** Tells of every attempt to reconnect, which is not what a drill is about; kept from the GC. */
  private static final Logger CLIENT_LOG = Logger.getLogger("io.lettuce");

  static {
    CLIENT_LOG.setLevel(Level.OFF);
  }

  private final Fault fault;
  private final Duration outage;
  private final ConcurrentLinkedQueue<ObservedDecision> told = new ConcurrentLinkedQueue<>();
  private final AtomicReference<Throwable> escaped = new AtomicReference<>();
  private volatile boolean over;
  private volatile long longestStall;

  /** Prepares a drill in which Redis fails for so long. */
  public Drill(Fault fault, Duration outage) {
    this.fault = fault;
    this.outage = outage;
  }

  /** Returns the command time-out of all drills. */
  public static Duration timeout() {
    return TIMEOUT;
  }

  /** Returns how much one caller's bucket holds, and regains in a second. */
  public static int capacity() {
    return CAPACITY;
  }

  /** Returns how many different callers ask. */
  public static int callers() {
    return BUCKETS;
  }

  /** Runs it, and returns what callers noticed. */
  public DrillReport run() {
    History history = new History();
    RedisSettings settings;
    try (Fault.Site site = fault.start()) {
      settings = RedisSettings.of(site.uri()).withCommandTimeout(TIMEOUT);
      RedisStore redis = RedisStore.start(settings);
      RemoteStore recorded = new RecordingStore(redis, history.record("node", redis));
      CircuitBreakingStore guarded =
          new CircuitBreakingStore(recorded, Settings.parse(Map.of()).circuitBreaker(), TIMEOUT);
      try (guarded;
          LocalStore fallback = new LocalStore();
          RateLimitEngine engine =
              RateLimitEngine.builder(guarded).fallback(fallback).book(book()).build()) {
        if (!redis.awaitReady(Duration.ofSeconds(20))) {
          throw new IllegalStateException("Redis is not there: " + redis.health());
        }
        return run(site, history, guarded, engine);
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
      Fault.Site site, History history, CircuitBreakingStore guarded, RateLimitEngine engine) {
    List<Thread> callers = new ArrayList<>();
    for (int c = 0; c < CALLERS; c++) {
      int caller = c;
      callers.add(new Thread(() -> call(caller, engine), "caller-" + c));
    }
    callers.add(new Thread(this::noticeStalls, "stalls"));
    callers.forEach(Thread::start);
    try {
      pause(WARM_UP);
      longestStall = 0;
      History.Span forgetting = fault.forgetting() ? history.forgetting() : null;
      site.strike();
      long struck = System.nanoTime();
      long opened = awaitOpen(guarded, struck + outage.toNanos());
      pauseUntil(struck + outage.toNanos());
      site.heal();
      if (forgetting != null) {
        forgetting.close();
      }
      long healed = System.nanoTime();
      long back = awaitBack(guarded, healed);
      pause(Duration.ofMillis(500));
      return report(history, struck, opened, healed, back);
    } finally {
      over = true;
      callers.forEach(Drill::join);
    }
  }

  private DrillReport report(History history, long struck, long opened, long healed, long back) {
    over = true;
    HistoryChecker.Report checked = HistoryChecker.check(history);
    return DrillReport.of(
        fault,
        List.copyOf(told),
        escaped.get(),
        checked.toString(),
        longestStall,
        struck,
        opened,
        healed,
        back);
  }

  /** Asks at its own pace: a late answer does not put off the next question, but for one thread. */
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
        told.add(ObservedDecision.of(strategy, bucket, start, System.nanoTime(), result));
      }
    } catch (RuntimeException | Error e) {
      escaped.compareAndSet(null, e);
    }
  }

  /** Does next to nothing, to notice when the machine does not even let it do that. */
  private void noticeStalls() {
    long last = System.nanoTime();
    while (!over) {
      LockSupport.parkNanos(1_000_000);
      long now = System.nanoTime();
      longestStall = Math.max(longestStall, now - last);
      last = now;
    }
  }

  private static long awaitOpen(CircuitBreakingStore guarded, long until) {
    while (System.nanoTime() - until < 0) {
      if (guarded.state() != BreakerState.CLOSED) {
        return System.nanoTime();
      }
      LockSupport.parkNanos(500_000);
    }
    return DrillReport.NEVER;
  }

  /** Waits until the breaker is closed, and the last caller who noticed anything was long ago. */
  private long awaitBack(CircuitBreakingStore guarded, long healed) {
    long quietSince = System.nanoTime();
    while (System.nanoTime() - healed < BACK_WITHIN.toNanos()) {
      ObservedDecision last = lastDegraded();
      boolean closed = guarded.state() == BreakerState.CLOSED && guarded.health().up();
      if (!closed) {
        quietSince = System.nanoTime();
      } else if (System.nanoTime() - quietSince > 300_000_000L
          && (last == null || System.nanoTime() - last.endNanos() > 300_000_000L)) {
        return last == null ? healed : Math.max(healed, last.endNanos());
      }
      LockSupport.parkNanos(5_000_000);
    }
    return DrillReport.NEVER;
  }

  private @Nullable ObservedDecision lastDegraded() {
    ObservedDecision last = null;
    for (ObservedDecision one : told) {
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
