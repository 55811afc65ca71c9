package dev.redline.core;

import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.StorageProvider;
import java.util.List;
import java.util.Objects;
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
  private final EngineSettings settings;
  private final MetricsExporter metrics;
  private final ListenerDispatcher[] listeners;
  private final boolean reportBands;
  private final boolean timed;

  /** Whether no rule is forced into shadow, and neither metrics nor listeners need more. */
  private final boolean unobserved;

  private final RuleLookup lookup;
  private final ApplicationRules ownRules;
  private final RuleChangeNotifier ruleChanges;
  private volatile @Nullable ActiveRules rules;
  private volatile boolean enabled = true;

  private RateLimitEngine(Builder builder) {
    this.settings = builder.settings;
    this.metrics = GuardedMetrics.of(builder.metrics);
    this.reportBands = builder.reportBands;
    this.stores = new StoreWithFallback(builder.store, builder.fallbackStore(), settings, metrics);
    this.waits = new WaitingAcquirer(stores, builder.permits(), builder.timer, metrics);
    this.lookup = new RuleLookup(settings);
    this.ownRules = new ApplicationRules(builder.plans, builder.ruleSets, metrics);
    this.ruleChanges = new RuleChangeNotifier(builder.ruleChangeListeners);
    this.listeners =
        builder.listeners.stream()
            .map(listener -> new ListenerDispatcher(listener, metrics))
            .toArray(ListenerDispatcher[]::new);
    this.timed = metrics != MetricsExporter.NONE;
    this.unobserved = !timed && listeners.length == 0 && !settings.shadow();
    if (builder.book != null) {
      use(builder.book);
    } else if (builder.plans != null || builder.ruleSets != null) {
      use(RuleBook.of());
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
    stores.checkFallback(book);
    synchronized (ruleChanges) {
      RuleBook before = book();
      metrics.inForce(book);
      rules = ActiveRules.of(book, metrics, ownRules);
      stores.rulesChanged();
      ruleChanges.notifyOf(before, book);
    }
  }

  /** Returns the rule book in force, or null if there never was one. */
  public @Nullable RuleBook book() {
    ActiveRules current = rules;
    return current == null ? null : current.book();
  }

  /** Switches limiting on or off; while off, everything is allowed. */
  public void enable(boolean value) {
    enabled = value;
  }

  /** Returns whether limiting is switched on. */
  public boolean enabled() {
    return enabled;
  }

  @Override
  public RateLimitResult allow(String key, List<String> planNames, int tokens) {
    RateLimitResult direct =
        planNames.size() == 1 ? decideDirectly(planNames.get(0), key, tokens) : null;
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

  @Override
  public CompletionStage<RateLimitResult> handle(LimitCheck check) {
    return decide(check, false);
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
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(dryRun);
    RateLimitResult result = decideWithoutIo(check, evaluation);
    return publish(
        check, evaluation, result == null ? stores.acquireAndWait(evaluation) : result, start);
  }

  /**
   * Decides without waiting; see {@link RateLimitHandler#handle}.
   *
   * @param dryRun whether to decide without acquiring, counting or notifying
   */
  public CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(dryRun);
    RateLimitResult now;
    try {
      now = decideWithoutIo(check, evaluation);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return now == null
        ? stores.acquire(evaluation).thenApply(result -> publish(check, evaluation, result, start))
        : CompletableFuture.completedFuture(publish(check, evaluation, now, start));
  }

  private Evaluation evaluation(boolean dryRun) {
    return new Evaluation(settings.shadow(), reportBands, dryRun);
  }

  /** Decides on this thread; returns null if the store needs I/O. */
  private @Nullable RateLimitResult decideWithoutIo(LimitCheck check, Evaluation evaluation) {
    DecisionBuffers buffers = DecisionBuffers.acquire();
    try {
      RateLimitResult result = find(check, evaluation, buffers);
      if (result == null && stores.acquireNow(evaluation.acquisition(), buffers.outcome())) {
        result = DecisionFinisher.finish(evaluation, buffers.outcome());
      }
      return result;
    } finally {
      buffers.release();
    }
  }

  /** Finds what applies; returns the result if no store is needed, else null. */
  private @Nullable RateLimitResult find(
      LimitCheck check, Evaluation evaluation, DecisionBuffers buffers) {
    return enabled
        ? lookup.find(check, evaluation, rules, buffers.ranks())
        : RateLimitResult.of(Reason.DISABLED);
  }

  /** Notifies listeners and metrics of a decision, unless it is a dry run. */
  private RateLimitResult publish(
      LimitCheck check, Evaluation evaluation, RateLimitResult result, long start) {
    if (!evaluation.dryRun()) {
      for (ListenerDispatcher listener : listeners) {
        listener.publish(check, result, evaluation);
      }
      if (timed) {
        metrics.checked(System.nanoTime() - start);
      }
    }
    return result;
  }

  /** Acquires from the key's bucket of a plan, at once, and makes a result only if it must. */
  boolean tryAcquire(String plan, String key, long cost) {
    ActiveRules.Plan direct = planToDecideDirectly(plan, cost);
    if (direct != null) {
      DecisionBuffers buffers = DecisionBuffers.acquire();
      try {
        if (stores.acquireNow(direct.acquisition(key, cost), buffers.outcome())) {
          return buffers.outcome().allowed();
        }
      } finally {
        buffers.release();
      }
    }
    return decideNow(LimitCheck.ofPlans(List.of(plan), key, cost), false).allowed();
  }

  /** Decides one key under one plan, the most frequent check; null if it needs the general way. */
  @Nullable RateLimitResult decideDirectly(String plan, String key, long cost) {
    ActiveRules.Plan direct = planToDecideDirectly(plan, cost);
    if (direct == null || key.isEmpty()) {
      return null;
    }
    DecisionBuffers buffers = DecisionBuffers.acquire();
    try {
      Acquisition acquisition = direct.acquisition(key, cost);
      return stores.acquireNow(acquisition, buffers.outcome())
          ? DecisionFinisher.finishPlan(acquisition, buffers.outcome(), reportBands)
          : null;
    } finally {
      buffers.release();
    }
  }

  /** Returns a plan whose decisions need no evaluation, or null if they need one. */
  private ActiveRules.@Nullable Plan planToDecideDirectly(String plan, long cost) {
    ActiveRules current = rules;
    return current != null && enabled && unobserved && cost >= 1 && cost <= RateLimitBand.MAX_TOKENS
        ? current.plan(plan)
        : null;
  }

  /**
   * Decides like {@link #check(RequestContext)}, and lets a caller wait whose limits say {@code
   * WAIT_FOR_REFILL}, as the settings allow. Parks the thread, which may be virtual.
   *
   * @throws IllegalArgumentException if the check names an unknown rule, plan or rule set
   * @throws IllegalStateException if the engine is closed while the caller waits
   */
  public RateLimitResult checkWaiting(LimitCheck check) throws InterruptedException {
    return acquire(check, WaitTerms.of(settings));
  }

  /**
   * Is {@link #checkWaiting} without blocking a thread. Cancelling the stage's future ends the
   * wait; continuations run on the caller's thread or on threads for them alone.
   */
  public CompletionStage<RateLimitResult> checkWaitingAsync(LimitCheck check) {
    return acquireAsync(check, WaitTerms.of(settings));
  }

  RateLimitResult acquire(LimitCheck check, WaitTerms terms) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(false);
    RateLimitResult now = find(check, evaluation);
    return now == null
        ? waits.await(evaluation, terms, result -> publish(check, evaluation, result, start))
        : publish(check, evaluation, now, start);
  }

  CompletionStage<RateLimitResult> acquireAsync(LimitCheck check, WaitTerms terms) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(false);
    RateLimitResult now;
    try {
      now = find(check, evaluation);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return now == null
        ? waits.start(evaluation, terms, result -> publish(check, evaluation, result, start))
        : CompletableFuture.completedFuture(publish(check, evaluation, now, start));
  }

  private @Nullable RateLimitResult find(LimitCheck check, Evaluation evaluation) {
    DecisionBuffers buffers = DecisionBuffers.acquire();
    try {
      return find(check, evaluation, buffers);
    } finally {
      buffers.release();
    }
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
    ActiveRules current = rules;
    if (current == null) {
      throw new UnknownNameException(what.kind(), what.name());
    }
    return what.in(current.book(), stores).whenComplete((ids, failure) -> waits.recheck());
  }

  /** Explains how a check would be decided; acquires, counts and notifies nothing. */
  public CompletionStage<Explanation> explain(LimitCheck check) {
    ActiveRules current = rules;
    if (current == null || !enabled) {
      return decide(check, true).thenApply(result -> new Explanation(result, List.of()));
    }
    try {
      return Explainer.of(check, current, lookup, settings).explain(stores::peek, this::decide);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public void close() {
    waits.close();
    for (ListenerDispatcher listener : listeners) {
      listener.close();
    }
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
    private List<RuleChangeListener> ruleChangeListeners = List.of();
    private @Nullable WaitPermits sharedPermits;
    private WaitTimer timer = WaitTimer.SHARED;
    private boolean reportBands;

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
    public Builder ruleChangeListener(RuleChangeListener value) {
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
