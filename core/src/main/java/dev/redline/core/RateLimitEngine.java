package dev.redline.core;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StorageProvider;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes decisions: matches rules, resolves keys, acquires all or nothing, and makes the result.
 *
 * <p>Thread-safe. Decides on the caller's thread where the store needs no I/O. The rules in force
 * are a copy-on-write snapshot: each decision reads the reference once and sees one whole rule
 * book. {@link #close} ends waiting callers with an {@link IllegalStateException} and stops the
 * threads of listeners; it does not close the stores.
 */
public final class RateLimitEngine implements RateLimiter, RateLimitHandler, AutoCloseable {

  private final StoreWithFallback stores;
  private final WaitingAcquirer waits;
  private final RulesInForce rules;
  private final DecisionMaker decisions;

  private RateLimitEngine(Builder builder) {
    EngineSettings settings = builder.settings;
    MetricsExporter metrics = GuardedMetrics.of(builder.metrics);
    this.stores = new StoreWithFallback(builder.store, builder.fallbackStore(), settings, metrics);
    this.waits = new WaitingAcquirer(stores, builder.permits(), builder.timer, metrics);
    this.rules =
        new RulesInForce(
            stores,
            new ApplicationRules(builder.plans, builder.ruleSets, metrics),
            metrics,
            new RuleChangeNotifier(builder.ruleChangeListeners));
    this.decisions =
        new DecisionMaker(
            rules,
            stores,
            waits,
            settings,
            metrics,
            builder.listeners,
            builder.reportBands,
            builder.decisionPoint);
    try {
      if (builder.book != null) {
        use(builder.book);
      } else if (builder.plans != null || builder.ruleSets != null) {
        use(RuleBook.of());
      }
    } catch (RuntimeException e) {
      // The listeners have threads by now.
      close();
      throw e;
    }
  }

  /** Returns a builder of an engine on a store; without a rule book it has no rules. */
  public static Builder builder(StorageProvider store) {
    return new Builder(store);
  }

  /**
   * Puts a rule book in force; decisions under way finish by the one they began with.
   *
   * @throws IllegalArgumentException if a rule says {@code LOCAL} and there is no store to fall
   *     back to; the rules in force stay
   */
  public void use(RuleBook book) {
    rules.use(book);
  }

  /**
   * Declares rules that the application's code has, such as those of {@link RateLimit} annotations.
   * They match no request: they apply to calls that name them ({@link CallLimit.OfRule}). They stay
   * declared when other rules come into force; a rule of the same id in a rule book replaces the
   * declared one, and then applies to those calls alone. Their meters exist from now on.
   *
   * @throws IllegalArgumentException if another rule of the same id was declared, or one says
   *     {@code LOCAL} and there is no store to fall back to; nothing is declared then
   */
  public void declare(List<RateLimitRule> values) {
    rules.declare(values);
  }

  /**
   * Returns the rule book in force, with the {@linkplain #declare declared} rules; or null if there
   * never was one.
   */
  public @Nullable RuleBook book() {
    ActiveRules current = rules.current();
    return current == null ? null : current.book();
  }

  /** Returns whether the rules in force, or the application's registry, have a plan. */
  public boolean hasPlan(String id) {
    ActiveRules current = rules.current();
    return current != null && current.hasPlan(id);
  }

  /** Returns whether the rules in force, or the application's provider, have a rule set. */
  public boolean hasRuleSet(String id) {
    ActiveRules current = rules.current();
    return current != null && current.with(id) != null;
  }

  /** Switches limiting on or off; while off, everything is allowed. */
  public void enable(boolean value) {
    decisions.enable(value);
  }

  /** Returns whether limiting is switched on. */
  public boolean enabled() {
    return decisions.enabled();
  }

  @Override
  public RateLimitResult allow(String key, List<String> planNames, int tokens) {
    RateLimitResult direct =
        planNames.size() == 1 ? decisions.decideDirectly(planNames.get(0), key, tokens) : null;
    return direct == null ? decideNow(LimitCheck.ofPlans(planNames, key, tokens), false) : direct;
  }

  @Override
  public CompletionStage<RateLimitResult> allowAsync(
      String key, List<String> planNames, int tokens) {
    try {
      return decide(LimitCheck.ofPlans(planNames, key, tokens), false);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public RateLimitResult check(RequestContext request) {
    return decideNow(LimitCheck.ofRequest(request), false);
  }

  @Override
  public RateLimitResult check(String ruleSetId, RequestContext request) {
    return decideNow(LimitCheck.ofRequest(ruleSetId, request), false);
  }

  @Override
  public CompletionStage<RateLimitResult> checkAsync(RequestContext request) {
    return decide(LimitCheck.ofRequest(request), false);
  }

  @Override
  public CompletionStage<RateLimitResult> checkAsync(String ruleSetId, RequestContext request) {
    return decide(LimitCheck.ofRequest(ruleSetId, request), false);
  }

  /**
   * Returns a limiter of the keys under one plan of the rules in force, at any time: it follows a
   * change of rules. Closing it closes nothing.
   */
  public KeyedLimiter plan(String name) {
    return new KeyedLimiter(this, name, () -> {});
  }

  /**
   * Decides, waiting for the store if it does I/O.
   *
   * @param dryRun whether to decide without acquiring, counting or notifying
   * @throws IllegalArgumentException if the check names an unknown rule, plan or rule set
   */
  public RateLimitResult decideNow(LimitCheck check, boolean dryRun) {
    return decisions.decideNow(check, dryRun);
  }

  /**
   * Decides without waiting; see {@link RateLimitHandler#handle}.
   *
   * @param dryRun whether to decide without acquiring, counting or notifying
   */
  public CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun) {
    return decisions.decide(check, dryRun, false);
  }

  /**
   * Is {@link #decide} for a caller whose continuations only pass the result on, for example to an
   * event loop. They may run on an I/O thread of the store: one that blocks or computes for long
   * delays all other callers.
   */
  public CompletionStage<RateLimitResult> decideForEventLoop(LimitCheck check, boolean dryRun) {
    return decisions.decide(check, dryRun, true);
  }

  /**
   * Decides, and lets a caller wait whose limits say {@code WAIT_FOR_REFILL}, as the settings
   * allow; see {@link RateLimitHandler#handle}. {@link #decide} never waits. Continuations run on
   * the caller's thread, on threads for them alone, or on a thread of the store.
   */
  @Override
  public CompletionStage<RateLimitResult> handle(LimitCheck check) {
    return decisions.decideOrWait(check);
  }

  /**
   * Is {@link #handle}, and blocks the calling thread, which may be virtual.
   *
   * @throws IllegalArgumentException if the check names an unknown rule, plan or rule set
   * @throws IllegalStateException if the engine is closed while the caller waits
   */
  @Override
  public RateLimitResult handleAndWait(LimitCheck check) throws InterruptedException {
    return decisions.decideOrWaitBlocking(check);
  }

  /**
   * Returns why the {@linkplain Builder#decisionPoint decision point} would reject checks; see
   * {@link DecisionPoint#rejections}. Nothing is known to be rejected without one, and while
   * limiting is switched off.
   */
  public List<Optional<String>> rejections(List<LimitCheck> checks) {
    return decisions.rejections(checks);
  }

  /** Gives the limiters of plans their way to decisions. */
  DecisionMaker decisions() {
    return decisions;
  }

  /**
   * Makes the buckets of some rules full, on all nodes within a second.
   *
   * @param what the rules, or one caller of a rule
   * @return the ids of the rules, when it is done; or a failure if the store cannot do it
   * @throws UnknownNameException if there is no such rule or rule set
   * @throws IllegalArgumentException if the rule cannot have such a caller
   */
  public CompletionStage<List<String>> reset(BucketReset what) {
    ActiveRules current = rules.current();
    if (current == null) {
      throw new UnknownNameException(what.kind(), what.name());
    }
    return what.in(current.book(), stores).whenComplete((ids, failure) -> waits.recheck());
  }

  /** Explains how a check would be decided; acquires, counts and notifies nothing. */
  public CompletionStage<Explanation> explain(LimitCheck check) {
    return decisions.explain(check);
  }

  @Override
  public void close() {
    decisions.close();
  }

  /** Builds an engine. */
  public static final class Builder {
    private final StorageProvider store;
    private @Nullable StorageProvider fallback;
    private @Nullable RuleBook book;
    private EngineSettings settings = EngineSettings.DEFAULT;
    private MetricsExporter metrics = MetricsExporter.NONE;
    private List<DecisionListener> listeners = List.of();
    private @Nullable PlanRegistry plans;
    private @Nullable RuleSetProvider ruleSets;
    private List<RuleChange.Listener> ruleChangeListeners = List.of();
    private @Nullable WaitPermits sharedPermits;
    private WaitTimer timer = WaitTimer.SHARED;
    private boolean reportBands;
    private @Nullable DecisionPoint decisionPoint;

    private Builder(StorageProvider store) {
      this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets the store of this node that decides for {@code LOCAL} rules while the first fails. */
    public Builder fallback(StorageProvider value) {
      fallback = value;
      return this;
    }

    /** Sets the first rule book. */
    public Builder book(RuleBook value) {
      book = value;
      return this;
    }

    /** Sets how to decide where rules do not say. */
    public Builder settings(EngineSettings value) {
      settings = value;
      return this;
    }

    /** Sets what records decisions. If it throws, that is logged and changes no decision. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /** Sets the listeners of decisions. */
    public Builder listeners(List<DecisionListener> values) {
      listeners = List.copyOf(values);
      return this;
    }

    /**
     * Sets where plans come from that the rule book does not have. The registry is called at every
     * decision, so it must not do I/O.
     */
    public Builder planRegistry(PlanRegistry value) {
      plans = value;
      return this;
    }

    /**
     * Sets where rule sets come from that the rule book does not have. The provider is called at
     * every check that names such a set, so it must not do I/O.
     */
    public Builder ruleSetProvider(RuleSetProvider value) {
      ruleSets = value;
      return this;
    }

    /** Adds a listener that is notified when other rules come into force. */
    public Builder ruleChangeListener(RuleChange.Listener value) {
      ruleChangeListeners = Stream.concat(ruleChangeListeners.stream(), Stream.of(value)).toList();
      return this;
    }

    /**
     * Sets whether {@link RateLimitResult#bands} lists all bands, as the IETF header fields need;
     * false unless set, since it costs memory at every decision.
     */
    public Builder reportBands(boolean value) {
      reportBands = value;
      return this;
    }

    /**
     * Sets what decides instead of the rules and the store of this engine. They count while it
     * fails: the strategies of the rules in force, and the fallback of the store. Callers cannot
     * wait for a refill then.
     */
    public Builder decisionPoint(DecisionPoint value) {
      decisionPoint = value;
      return this;
    }

    Builder waitPermits(WaitPermits value) {
      sharedPermits = value;
      return this;
    }

    Builder waitTimer(WaitTimer value) {
      timer = value;
      return this;
    }

    private WaitPermits permits() {
      return sharedPermits == null
          ? new WaitPermits(settings.waiting().maxConcurrentWaits())
          : sharedPermits;
    }

    private @Nullable StorageProvider fallbackStore() {
      return fallback == null ? store.fallback().orElse(null) : fallback;
    }

    /**
     * Builds the engine.
     *
     * @throws IllegalArgumentException if a store that can fail has no fallback, and the settings
     *     or a rule say {@code LOCAL}
     */
    public RateLimitEngine build() {
      return new RateLimitEngine(this);
    }
  }
}
