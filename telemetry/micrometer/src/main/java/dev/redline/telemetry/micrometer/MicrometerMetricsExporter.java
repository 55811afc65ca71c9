package dev.redline.telemetry.micrometer;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Records decisions, failures, timings and rules in a Micrometer registry.
 *
 * <p>All meters are named {@code ratelimit.…}. Counters of failures are registered from the start
 * with the value 0, so that alerts on them work before the first failure. Tags are bounded: rules
 * beyond a maximum are counted as {@code other}, and an identity is never a tag.
 *
 * <p>Thread-safe. Counting neither allocates nor locks.
 */
public final class MicrometerMetricsExporter implements MetricsExporter {
  /** The default maximum of rules with their own meters. */
  public static final int DEFAULT_MAX_RULES = 1000;

  private final MeterRegistry registry;
  private final RuleMeters ruleMeters;
  private final Timer checks;
  private final Map<String, StoreTimers> storeTimers = new ConcurrentHashMap<>();
  private final Map<OnStoreFailure, Map<FailureReason, Counter>> failures =
      new EnumMap<>(OnStoreFailure.class);
  private final Counter reloaded;
  private final Counter reloadFailed;
  private final Counter eventsDropped;
  private final AtomicLong rulesVersion = new AtomicLong();
  private final AtomicLong rulesHash = new AtomicLong();
  private final AtomicLong lastSuccessSeconds = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Creates an exporter with own meters for up to {@link #DEFAULT_MAX_RULES} rules. */
  public MicrometerMetricsExporter(MeterRegistry registry) {
    this(registry, DEFAULT_MAX_RULES);
  }

  /** Creates an exporter with own meters for up to {@code maxRules} rules and plans. */
  public MicrometerMetricsExporter(MeterRegistry registry, int maxRules) {
    this.registry = registry;
    this.ruleMeters = new RuleMeters(registry, maxRules);
    this.checks =
        Timer.builder("ratelimit.check").description("The time of a check").register(registry);
    failures.put(OnStoreFailure.CLOSED, failures("failclosed", "denied because the store failed"));
    failures.put(OnStoreFailure.OPEN, failures("failopen", "allowed because the store failed"));
    failures.put(
        OnStoreFailure.LOCAL, failures("fallback", "made by this node because the store failed"));
    this.reloaded = reloads("success");
    this.reloadFailed = reloads("failure");
    this.eventsDropped =
        Counter.builder("ratelimit.events.dropped")
            .description("Events dropped because listeners are too slow")
            .register(registry);
    Gauge.builder("ratelimit.rules.version", rulesVersion, AtomicLong::doubleValue)
        .description("The version of the rules in force")
        .register(registry);
    Gauge.builder("ratelimit.rules.hash", rulesHash, AtomicLong::doubleValue)
        .description("A hash of the rules in force, equal on nodes that have the same")
        .register(registry);
    Gauge.builder("ratelimit.rules.last.success", lastSuccessSeconds, AtomicLong::doubleValue)
        .description("When rules were last loaded without an error, since the epoch")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("ratelimit.waiting", waiting, AtomicInteger::doubleValue)
        .description("Callers waiting for a refill")
        .register(registry);
  }

  private Map<FailureReason, Counter> failures(String name, String what) {
    Map<FailureReason, Counter> byReason = new EnumMap<>(FailureReason.class);
    for (FailureReason reason : FailureReason.values()) {
      byReason.put(
          reason,
          Counter.builder("ratelimit." + name + ".total")
              .description("Decisions " + what)
              .tag("reason", reason.tag())
              .register(registry));
    }
    return byReason;
  }

  private Counter reloads(String result) {
    return Counter.builder("ratelimit.rules.reload")
        .description("Attempts to load rules")
        .tag("result", result)
        .register(registry);
  }

  @Override
  public void showLeases(TokenLeases leases) {
    leaseCounter(leases, "acquired", TokenLeases::acquired);
    leaseCounter(leases, "spent", TokenLeases::spent);
    leaseCounter(leases, "refunded", TokenLeases::refunded);
    leaseCounter(leases, "dropped", TokenLeases::dropped);
    Gauge.builder("ratelimit.lease.tokens", leases, TokenLeases::held)
        .description("Tokens taken ahead of demand that this process can spend")
        .strongReference(true)
        .register(registry);
  }

  private void leaseCounter(
      TokenLeases leases, String result, ToDoubleFunction<TokenLeases> tokens) {
    FunctionCounter.builder("ratelimit.lease", leases, tokens)
        .description("Tokens taken ahead of demand, and what became of them")
        .tag("result", result)
        .register(registry);
  }

  @Override
  public void showLocalKeys(LongSupplier keys) {
    Gauge.builder("ratelimit.local.keys", keys, LongSupplier::getAsLong)
        .description("Keys held in this process")
        .strongReference(true)
        .register(registry);
  }

  @Override
  public void showBreaker(String store, List<String> states, Supplier<String> current) {
    for (String state : states) {
      Gauge.builder("ratelimit.breaker.state", () -> state.equals(current.get()) ? 1 : 0)
          .description("Whether the store's circuit breaker is in this state")
          .tag("store", store)
          .tag("state", state)
          .strongReference(true)
          .register(registry);
    }
  }

  @Override
  public void showStore(String store) {
    timers(store);
  }

  @Override
  public void showStoreHealth(String store, BooleanSupplier up) {
    Gauge.builder("ratelimit.store.up", () -> up.getAsBoolean() ? 1 : 0)
        .description("Whether the store was up when it was last seen")
        .tag("store", store)
        .strongReference(true)
        .register(registry);
  }

  @Override
  public RuleMeter meter(String ruleSetId, String ruleId) {
    return ruleMeters.meter(ruleSetId, ruleId);
  }

  @Override
  public void checked(long nanos) {
    checks.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void stored(String store, boolean answered, long nanos) {
    StoreTimers timers = timers(store);
    (answered ? timers.success : timers.failure).record(nanos, TimeUnit.NANOSECONDS);
  }

  private StoreTimers timers(String store) {
    StoreTimers known = storeTimers.get(store);
    return known != null
        ? known
        : storeTimers.computeIfAbsent(
            store, name -> new StoreTimers(storeTimer(name, true), storeTimer(name, false)));
  }

  private Timer storeTimer(String store, boolean answered) {
    return Timer.builder("ratelimit.store")
        .description("The time of a store call")
        .tag("store", store.toLowerCase(Locale.ROOT))
        .tag("outcome", answered ? "success" : "failure")
        .register(registry);
  }

  @Override
  public void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {
    Map<FailureReason, Counter> byReason = failures.get(strategy);
    Counter counter = byReason == null ? null : byReason.get(FailureReason.of(store, kind));
    if (counter != null) {
      counter.increment();
    }
  }

  @Override
  public void inForce(RuleBook book) {
    rulesVersion.set(book.version());
    rulesHash.set(book.contentHash());
    ruleMeters.retain(book);
  }

  @Override
  public void rulesLoaded(boolean success) {
    if (success) {
      rulesConfirmed();
      reloaded.increment();
    } else {
      reloadFailed.increment();
    }
  }

  @Override
  public void rulesConfirmed() {
    lastSuccessSeconds.set(TimeUnit.MILLISECONDS.toSeconds(registry.config().clock().wallTime()));
  }

  @Override
  public void waiting(int change) {
    waiting.addAndGet(change);
  }

  @Override
  public void eventDropped() {
    eventsDropped.increment();
  }

  private record StoreTimers(Timer success, Timer failure) {}
}
