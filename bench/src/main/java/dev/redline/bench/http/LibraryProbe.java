package dev.redline.bench.http;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StorageProvider;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The engine as a library, without HTTP: decides on the requests of {@link Checks}, a number of
 * them at a time. Prints the processor time of a decision in microseconds, a line for each round,
 * and then how many decisions it made, those of the warm-up included.
 */
public final class LibraryProbe {
  /** The command that runs the probe. */
  public static final String COMMAND = "library-probe";

  /** Instead of a Redis URI: a store in memory. */
  static final String LOCAL = "local";

  private static final int CALLERS = 1000;

  private LibraryProbe() {}

  /**
   * Runs with the arguments store, decisions outstanding at a time, rounds, and the time of the
   * warm-up and of each round.
   */
  public static void run(List<String> arguments, PrintStream out) throws InterruptedException {
    int outstanding = Integer.parseInt(arguments.get(1));
    int rounds = Integer.parseInt(arguments.get(2));
    Duration warmUpTime = Duration.parse(arguments.get(3));
    Duration measure = Duration.parse(arguments.get(4));
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("per-ip")
            .path("/api/**")
            .key(KeyField.ip())
            .addBand(RateLimitBand.parse("1000000000/s"))
            .build();
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store(arguments.get(0)))
            .fallback(new LocalStore())
            .book(RuleBook.of(rule))
            .build()) {
      LimitCheck[] checks = checks();
      long total = 0;
      List<Double> warmUp = new ArrayList<>();
      while (!WarmUp.isOver(warmUp)) {
        Round round = Round.of(engine, checks, outstanding, WarmUp.window(warmUpTime));
        warmUp.add(round.micros);
        total += round.decisions;
      }
      for (int i = 0; i < rounds; i++) {
        Round round = Round.of(engine, checks, outstanding, measure);
        out.println(String.format(Locale.ROOT, "%.3f", round.micros));
        total += round.decisions;
      }
      out.println(total);
    }
  }

  private static StorageProvider store(String uri) {
    if (uri.equals(LOCAL)) {
      return new LocalStore();
    }
    RedisStore store = RedisStore.start(RedisSettings.of(uri));
    if (!store.awaitReady(Duration.ofSeconds(20))) {
      throw new IllegalStateException("no connection to " + uri);
    }
    return store;
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** How many decisions were made, and the processor time of each. */
  private record Round(long decisions, double micros) {
    static Round of(RateLimitEngine engine, LimitCheck[] checks, int outstanding, Duration time)
        throws InterruptedException {
      long before = cpuNanos();
      long decisions = decide(engine, checks, outstanding, time);
      return new Round(decisions, (cpuNanos() - before) / 1000.0 / decisions);
    }
  }

  /** Keeps a number of decisions undecided for a time; returns how many were made. */
  private static long decide(
      RateLimitEngine engine, LimitCheck[] checks, int outstanding, Duration time)
      throws InterruptedException {
    AtomicLong decided = new AtomicLong();
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    CountDownLatch ended = new CountDownLatch(outstanding);
    long end = System.nanoTime() + time.toNanos();
    for (int first = 0; first < outstanding; first++) {
      new Caller(engine, checks, first, end, decided, failed, ended).next();
    }
    ended.await();
    Throwable failure = failed.get();
    if (failure != null) {
      throw new IllegalStateException("a decision failed", failure);
    }
    return decided.get();
  }

  private static LimitCheck[] checks() {
    LimitCheck[] checks = new LimitCheck[CALLERS];
    for (int caller = 0; caller < CALLERS; caller++) {
      checks[caller] =
          new LimitCheck.OfRequest(
              Optional.empty(),
              RequestContext.builder()
                  .path("/api/orders/" + caller)
                  .method("GET")
                  .clientIp("10.0." + caller / 250 + "." + caller % 250)
                  .build());
    }
    return checks;
  }

  /** Makes one decision after the other, until the end or the first failure. */
  private static final class Caller {
    private final RateLimitEngine engine;
    private final LimitCheck[] checks;
    private final long end;
    private final AtomicLong decided;
    private final AtomicReference<@Nullable Throwable> failed;
    private final CountDownLatch ended;
    private int next;

    Caller(
        RateLimitEngine engine,
        LimitCheck[] checks,
        int first,
        long end,
        AtomicLong decided,
        AtomicReference<@Nullable Throwable> failed,
        CountDownLatch ended) {
      this.engine = engine;
      this.checks = checks;
      this.next = first;
      this.end = end;
      this.decided = decided;
      this.failed = failed;
      this.ended = ended;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the next decision starts when it completes
    void next() {
      try {
        while (System.nanoTime() - end < 0) {
          next = (next + 1) % CALLERS;
          CompletionStage<RateLimitResult> result = engine.decide(checks[next], false);
          if (!result.toCompletableFuture().isDone()) {
            result.whenComplete(
                (decision, failure) -> {
                  if (failure != null) {
                    fail(failure);
                  } else {
                    decided.incrementAndGet();
                    next();
                  }
                });
            return;
          }
          result.toCompletableFuture().join();
          decided.incrementAndGet();
        }
        ended.countDown();
      } catch (RuntimeException e) {
        fail(e);
      }
    }

    private void fail(Throwable failure) {
      failed.compareAndSet(null, failure);
      ended.countDown();
    }
  }
}
