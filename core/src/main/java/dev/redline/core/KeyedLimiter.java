package dev.redline.core;

import dev.redline.core.internal.limit.AllowedValues;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One limit, or several, for many keys: every key has a bucket of its own.
 *
 * <pre>{@code
 * KeyedLimiter limiter = KeyedLimiter.of("10/s burst 20");  // 30 at once, then 10 per second
 * if (limiter.tryAcquire("alice")) { … }
 * limiter.check("alice").orThrow();
 * limiter.acquire("alice", Duration.ofSeconds(1));
 * }</pre>
 *
 * <p>Thread-safe. A limit is {@code N/PERIOD [burst B]}, see {@link RateLimitBand#parse}; a key is
 * any text that is not empty. Every method rejects a key that is null or empty, and tokens below 1,
 * with an {@link IllegalArgumentException}.
 *
 * <p><b>Waiting.</b> Callers of one key wait in order of arrival, those of this process. A wait
 * that cannot end in time is denied at once. Nothing is reserved: {@code tryAcquire} and other
 * processes may take what a caller waits for. At most 10,000 callers wait at once in all limiters
 * of a process; more are denied at once.
 */
public final class KeyedLimiter implements AutoCloseable {
  private static final String UNNAMED = "limiter";
  private static final WaitPermits PERMITS = new WaitPermits(10_000);

  private final RateLimitEngine engine;
  private final String name;
  private final List<String> plans;
  private final Runnable onClose;

  /** Creates the view of a plan. */
  KeyedLimiter(RateLimitEngine engine, String name, Runnable onClose) {
    this.engine = engine;
    this.name = Objects.requireNonNull(name, "name");
    this.plans = List.of(name);
    this.onClose = onClose;
  }

  /**
   * Returns a limiter in memory. It owns its store, which {@link #close} closes.
   *
   * @param limit such as {@code 10/s burst 20}
   * @param more further limits, all of which apply together
   * @throws IllegalArgumentException if a limit is malformed, with the text and what is allowed
   */
  public static KeyedLimiter of(String limit, String... more) {
    List<String> limits = new ArrayList<>();
    limits.add(limit);
    limits.addAll(Arrays.asList(required("more", more, "leave it out")));
    RateLimitPlan plan = plan(UNNAMED, limits);
    LocalStore store = new LocalStore();
    return on(RateLimitEngine.builder(store), plan, store::close);
  }

  /**
   * Returns a limiter on a store, which stays its owner's to close. Limiters and plans of the same
   * name, limits and store share their buckets; other names separate them.
   *
   * <p>If the store fails, this process decides by itself: in the fallback that the store brings,
   * such as {@code ResilientStore.of(store)}, else in one of the limiter's own.
   *
   * @param name what separates the buckets from those of other limiters, of the characters of ids
   */
  public static KeyedLimiter of(String name, String limit, StorageProvider store) {
    List<String> limits = new ArrayList<>();
    limits.add(limit);
    return of(name, limits, store);
  }

  /**
   * Returns a limiter of several limits on a store; see {@link #of(String, String,
   * StorageProvider)}.
   */
  public static KeyedLimiter of(String name, List<String> limits, StorageProvider store) {
    AllowedValues.id("name", required("name", name, "it separates the limiter's buckets"));
    RateLimitPlan plan = plan(name, required("limits", limits, "use a list such as [10/s, 100/m]"));
    Objects.requireNonNull(store, "store");
    if (store instanceof InMemoryStore || store.fallback().isPresent()) {
      return on(RateLimitEngine.builder(store), plan, () -> {});
    }
    LocalStore fallback = new LocalStore();
    return on(RateLimitEngine.builder(store).fallback(fallback), plan, fallback::close);
  }

  private static <T> T required(String what, @Nullable T value, String hint) {
    if (value == null) {
      throw new IllegalArgumentException(what + " must not be null: " + hint);
    }
    return value;
  }

  private static RateLimitPlan plan(String name, List<String> limits) {
    return new RateLimitPlan(name, limits.stream().map(RateLimitBand::parse).toList());
  }

  private static KeyedLimiter on(
      RateLimitEngine.Builder builder, RateLimitPlan plan, Runnable closeStores) {
    RateLimitEngine engine =
        builder.book(RuleBook.builder().plans(List.of(plan)).build()).waitPermits(PERMITS).build();
    return new KeyedLimiter(
        engine,
        plan.id(),
        () -> {
          engine.close();
          closeStores.run();
        });
  }

  /** Acquires one token; returns whether it could, at once. */
  public boolean tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /** Acquires tokens, all or none; returns whether it could, at once. */
  public boolean tryAcquire(String key, long tokens) {
    return engine.decisions().tryAcquire(name, checked(key), checked(tokens));
  }

  /** Acquires one token, at once, and returns the whole decision. */
  public RateLimitResult check(String key) {
    return check(key, 1);
  }

  /** Acquires tokens, all or none, at once. */
  public RateLimitResult check(String key, long tokens) {
    RateLimitResult direct = engine.decisions().decideDirectly(name, checked(key), checked(tokens));
    return direct == null ? engine.decideNow(limitCheck(key, tokens), false) : direct;
  }

  /** Is {@link #check(String, long)} without waiting for a store that does I/O. */
  public CompletionStage<RateLimitResult> checkAsync(String key, long tokens) {
    return engine.decide(limitCheck(key, tokens), false);
  }

  /**
   * Acquires one token, and waits for it if need be.
   *
   * @param atMost how long to wait
   * @return true if it was acquired; false if it could not be in time, which is returned at once
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws IllegalStateException if the limiter is closed
   */
  public boolean acquire(String key, Duration atMost) throws InterruptedException {
    return acquire(key, 1, atMost);
  }

  /** Acquires tokens, all or none; see {@link #acquire(String, Duration)}. */
  public boolean acquire(String key, long tokens, Duration atMost) throws InterruptedException {
    return engine.decisions().acquire(limitCheck(key, tokens), WaitTerms.atMost(atMost)).allowed();
  }

  /**
   * Acquires tokens, all or none, and waits for them if need be, without blocking a thread.
   *
   * @param atMost how long to wait
   * @return a stage of the result. Denied, its reason is {@code WAIT_TIMEOUT}, {@code
   *     COST_EXCEEDS_CAPACITY} if waiting does not help, or {@code LIMIT_EXCEEDED} if too many
   *     callers wait. It fails with an {@link IllegalStateException} if the limiter is closed.
   *     Cancelling its future ends the wait. Continuations may block, up to 256 at once
   */
  public CompletionStage<RateLimitResult> acquireAsync(String key, long tokens, Duration atMost) {
    return engine.decisions().acquireAsync(limitCheck(key, tokens), WaitTerms.atMost(atMost));
  }

  private LimitCheck limitCheck(String key, long tokens) {
    return LimitCheck.ofPlans(plans, checked(key), checked(tokens));
  }

  private static String checked(@Nullable String key) {
    if (key == null || key.isEmpty()) {
      throw new IllegalArgumentException(
          "key must not be " + (key == null ? "null" : "empty") + ": it names who is limited");
    }
    return key;
  }

  private static long checked(long tokens) {
    if (tokens < 1 || tokens > RateLimitBand.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "tokens must be 1 to " + RateLimitBand.MAX_TOKENS + ", was " + tokens);
    }
    return tokens;
  }

  /**
   * Ends waiting callers with an {@link IllegalStateException}, and closes what the limiter owns:
   * its store if it is in memory. The view of an engine's plan owns nothing.
   */
  @Override
  public void close() {
    onClose.run();
  }

  /** Returns the limiter's name. */
  @Override
  public String toString() {
    return "KeyedLimiter[" + name + "]";
  }
}
