package dev.redline.core;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.rule.RuleIndex;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The orchestration of a decision: match rules, resolve keys, take all or nothing, merge.
 *
 * <p>Thread-safe. Decides on the caller's thread where the store needs no I/O. The rule book is
 * read once per decision and swapped by one reference write: a decision sees one book, whole.
 * Closing it ends waiting callers with an {@link IllegalStateException} and the threads of its
 * listeners, if it has some; the stores are their owner's.
 */
public final class RateLimitEngine implements RateLimiter, RateLimitHandler, AutoCloseable {

  private final StoreWithFallback tiers;
  private final WaitingAcquirer waits;
  private final EngineSettings settings;
  private final MetricsExporter metrics;
  private final ListenerDispatcher[] listeners;
  private final boolean timed;
  private final boolean tryDirectly;
  private final RuleLookup lookup;
  private final ApplicationRules ownRules;
  private final RuleChangeNotifier ruleChanges;
  private volatile @Nullable ActiveRules rules;
  private volatile boolean enabled = true;

  private RateLimitEngine(Builder builder) {
    this.settings = builder.settings;
    this.metrics = GuardedMetrics.of(builder.metrics);
    this.tiers = new StoreWithFallback(builder.store, builder.fallbackStore(), settings, metrics);
    this.waits = new WaitingAcquirer(tiers, builder.permits(), builder.timer, metrics);
    this.lookup = new RuleLookup(settings);
    this.ownRules = new ApplicationRules(builder.plans, builder.ruleSets, metrics);
    this.ruleChanges = new RuleChangeNotifier(builder.ruleChangeListeners);
    this.listeners =
        builder.listeners.stream()
            .map(listener -> new ListenerDispatcher(listener, metrics))
            .toArray(ListenerDispatcher[]::new);
    this.timed = metrics != MetricsExporter.NONE;
    this.tryDirectly = !timed && listeners.length == 0 && !settings.shadow();
    if (builder.book != null) {
      use(builder.book);
    } else if (builder.plans != null || builder.ruleSets != null) {
      use(RuleBook.of());
    }
  }

  /** Returns a builder of an engine on a store; it has no rules until told to use some. */
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
    tiers.checkFallback(book);
    synchronized (ruleChanges) {
      RuleBook before = book();
      metrics.inForce(book);
      rules = ActiveRules.of(book, metrics, ownRules);
      tiers.rulesChanged();
      ruleChanges.notifyOf(before, book);
    }
  }

  /** Returns the rule book in force, or null if there never was one. */
  public @Nullable RuleBook book() {
    ActiveRules current = rules;
    return current == null ? null : current.book();
  }

  /** Switches limiting on or off; while off, everything passes. */
  public void enable(boolean value) {
    enabled = value;
  }

  /** Returns whether limiting is switched on. */
  public boolean enabled() {
    return enabled;
  }

  @Override
  public RateLimitResult allow(String key, List<String> planNames, int tokens) {
    return decideNow(LimitCheck.ofPlans(planNames, key, tokens), false);
  }

  @Override
  public CompletionStage<RateLimitResult> allowAsync(
      String key, List<String> planNames, int tokens) {
    return asking(() -> LimitCheck.ofPlans(planNames, key, tokens));
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
  public CompletionStage<RateLimitResult> handle(LimitCheck question) {
    return decide(question, false);
  }

  /**
   * Returns a limiter of the keys under one plan of the rules in force, at any time: it follows a
   * change of rules. Closing it closes nothing.
   */
  public KeyedLimiter plan(String name) {
    return new KeyedLimiter(this, name, () -> {});
  }

  /**
   * Decides like {@link #check(RequestContext)}, and lets a caller wait whose limits say {@code
   * WAIT_FOR_REFILL}, as the settings allow. Parks the thread, which may be virtual.
   *
   * @throws IllegalArgumentException if the question has no answer
   * @throws IllegalStateException if the engine is closed while the caller waits
   */
  public RateLimitResult checkWaiting(LimitCheck question) throws InterruptedException {
    return acquire(question, WaitTerms.of(settings));
  }

  /**
   * Is {@link #checkWaiting} without blocking a thread. Cancelling the stage's future ends the
   * wait; continuations run on the caller's thread or on threads for them alone.
   */
  public CompletionStage<RateLimitResult> checkWaitingAsync(LimitCheck question) {
    return acquireAsync(question, WaitTerms.of(settings));
  }

  RateLimitResult acquire(LimitCheck question, WaitTerms terms) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), false);
    RateLimitResult result = prepare(question, evaluation, false);
    return result != null
        ? told(question, evaluation, result, false, start)
        : waits.await(evaluation, terms, end -> told(question, evaluation, end, false, start));
  }

  CompletionStage<RateLimitResult> acquireAsync(LimitCheck question, WaitTerms terms) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), false);
    RateLimitResult result;
    try {
      result = prepare(question, evaluation, false);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    return result != null
        ? CompletableFuture.completedFuture(told(question, evaluation, result, false, start))
        : waits.start(evaluation, terms, end -> told(question, evaluation, end, false, start));
  }

  /**
   * Acquires from the key's bucket of a plan, at once. An engine without listeners and metrics then
   * makes no result, only what the store needs.
   */
  boolean tryAcquire(String plan, String key, long cost) {
    ActiveRules current = rules;
    if (enabled
        && current != null
        && tryDirectly
        && cost >= 1
        && cost <= RateLimitBand.MAX_TOKENS) {
      RateLimitKey bucket =
          new RateLimitKey(current.plan(plan).limits(), IdentityScheme.ofPlanKey(key));
      Outcome outcome = new Outcome();
      if (tiers.acquireNow(Acquisition.of(bucket, cost), outcome)) {
        return outcome.allowed();
      }
    }
    return decideNow(LimitCheck.ofPlans(List.of(plan), key, cost), false).allowed();
  }

  private CompletionStage<RateLimitResult> asking(
      java.util.function.Supplier<LimitCheck> question) {
    try {
      return decide(question.get(), false);
    } catch (IllegalArgumentException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Decides, waiting for the store if it does I/O.
   *
   * @param dryRun whether to answer exactly that and take, count and tell nothing
   * @throws IllegalArgumentException if the question has no answer
   */
  public RateLimitResult decideNow(LimitCheck question, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), dryRun);
    RateLimitResult result = prepare(question, evaluation, dryRun);
    if (result == null) {
      Acquisition acquisition = evaluation.acquisition();
      Outcome outcome = new Outcome();
      result =
          tiers.acquireNow(acquisition, outcome)
              ? evaluation.finish(outcome)
              : tiers.askAndWait(evaluation, acquisition);
    }
    return told(question, evaluation, result, dryRun, start);
  }

  /**
   * Decides without waiting; see {@link RateLimitHandler#handle}.
   *
   * @param dryRun whether to answer exactly that and take, count and tell nothing
   */
  public CompletionStage<RateLimitResult> decide(LimitCheck question, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = new Evaluation(settings.shadow(), dryRun);
    RateLimitResult result;
    try {
      result = prepare(question, evaluation, dryRun);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (result == null) {
      Acquisition acquisition = evaluation.acquisition();
      Outcome outcome = new Outcome();
      if (!tiers.acquireNow(acquisition, outcome)) {
        return tiers
            .ask(evaluation, acquisition)
            .thenApply(answer -> told(question, evaluation, answer, dryRun, start));
      }
      result = evaluation.finish(outcome);
    }
    return CompletableFuture.completedFuture(told(question, evaluation, result, dryRun, start));
  }

  /** Finds out what applies; returns the result if no store has to be asked, else null. */
  private @Nullable RateLimitResult prepare(
      LimitCheck question, Evaluation evaluation, boolean dryRun) {
    return enabled
        ? lookup.find(question, evaluation, rules, dryRun)
        : RateLimitResult.of(Reason.DISABLED);
  }

  /**
   * Makes the buckets of some rules fresh ones, on all nodes within a second.
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
    return what.in(current.book(), tiers).whenComplete((ids, failure) -> waits.recheck());
  }

  /** Takes a question apart; takes, counts and tells nothing. */
  public CompletionStage<Explanation> explain(LimitCheck question) {
    ActiveRules current = rules;
    if (current == null || !enabled) {
      return decide(question, true).thenApply(result -> new Explanation(result, List.of()));
    }
    try {
      ActiveRules source = current;
      RuleIndex index = null;
      if (question instanceof LimitCheck.OfRequest ofRequest) {
        ActiveRules found = lookup.source(ofRequest, current);
        source = found == null ? current : found;
        index = found == null ? null : lookup.index(ofRequest, found);
      }
      return new Explainer(question, source, index, settings).explain(tiers::peek, this::decide);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private RateLimitResult told(
      LimitCheck question,
      Evaluation evaluation,
      RateLimitResult result,
      boolean dryRun,
      long start) {
    if (dryRun) {
      return result;
    }
    for (ListenerDispatcher listener : listeners) {
      listener.tell(question, result, evaluation);
    }
    if (timed) {
      metrics.checked(System.nanoTime() - start);
    }
    return result;
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

    private Builder(StorageProvider store) {
      this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets the store of this node that decides for {@code LOCAL} rules while the other fails. */
    public Builder fallback(StorageProvider value) {
      fallback = value;
      return this;
    }

    /** Sets the first rule book. */
    public Builder book(RuleBook value) {
      book = value;
      return this;
    }

    /** Sets how to decide where rules are silent. */
    public Builder settings(EngineSettings value) {
      settings = value;
      return this;
    }

    /** Sets where decisions are counted; if that throws, it is logged and changes no decision. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /** Sets who is told of decisions. */
    public Builder listeners(List<DecisionListener> values) {
      listeners = List.copyOf(values);
      return this;
    }

    /**
     * Sets where plans come from that the rule book does not have. The registry is asked at every
     * decision, so it answers from memory.
     */
    public Builder planRegistry(PlanRegistry value) {
      plans = value;
      return this;
    }

    /**
     * Sets where rule sets come from that the rule book does not have; asked for by name, at every
     * check that names them, so it answers from memory.
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
