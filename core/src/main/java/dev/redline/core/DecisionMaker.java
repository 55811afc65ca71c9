package dev.redline.core;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes decisions: finds what applies by the rules in force, acquires from the stores, and
 * publishes the result to listeners and metrics. Thread-safe.
 */
final class DecisionMaker implements AutoCloseable {
  private final RulesInForce rules;
  private final StoreWithFallback stores;
  private final WaitingAcquirer waits;
  private final EngineSettings settings;
  private final WaitTerms terms;
  private final MetricsExporter metrics;
  private final ListenerDispatcher[] listeners;
  private final boolean reportBands;
  private final boolean timed;

  /** Whether no rule is forced into shadow, and neither metrics nor listeners need more. */
  private final boolean unobserved;

  private final RuleLookup lookup;
  private final CallLimitLookup callLimits;
  private final @Nullable RemoteDecisions remote;
  private volatile boolean enabled = true;

  DecisionMaker(
      RulesInForce rules,
      StoreWithFallback stores,
      WaitingAcquirer waits,
      EngineSettings settings,
      MetricsExporter metrics,
      List<DecisionListener> listeners,
      boolean reportBands,
      @Nullable DecisionPoint point) {
    this.rules = rules;
    this.stores = stores;
    this.waits = waits;
    this.settings = settings;
    this.terms = WaitTerms.of(settings);
    this.metrics = metrics;
    this.listeners =
        listeners.stream()
            .map(listener -> new ListenerDispatcher(listener, metrics))
            .toArray(ListenerDispatcher[]::new);
    this.reportBands = reportBands;
    this.timed = metrics != MetricsExporter.NONE;
    this.unobserved = !timed && listeners.isEmpty() && !settings.shadow() && point == null;
    this.lookup = new RuleLookup(settings);
    this.callLimits = new CallLimitLookup(lookup);
    this.remote =
        point == null
            ? null
            : new RemoteDecisions(point, rules, lookup, this::find, stores, settings);
  }

  void enable(boolean value) {
    enabled = value;
  }

  boolean enabled() {
    return enabled;
  }

  /** Decides, waiting for the store if it does I/O. */
  RateLimitResult decideNow(LimitCheck check, boolean dryRun) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(dryRun);
    if (remote != null && enabled) {
      return publish(check, evaluation, remote.decideAndWait(check, evaluation), start);
    }
    RateLimitResult result = decideWithoutIo(check, evaluation);
    return publish(
        check, evaluation, result == null ? stores.acquireAndWait(evaluation) : result, start);
  }

  /**
   * Decides without waiting for the store.
   *
   * @param forEventLoop whether continuations may run on an I/O thread of the store
   */
  CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun, boolean forEventLoop) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(dryRun);
    if (remote != null && enabled) {
      return decideRemotely(remote, check, evaluation, start);
    }
    RateLimitResult now;
    try {
      now = decideWithoutIo(check, evaluation);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (now != null) {
      return CompletableFuture.completedFuture(publish(check, evaluation, now, start));
    }
    CompletionStage<RateLimitResult> later =
        forEventLoop ? stores.acquireForEventLoop(evaluation) : stores.acquire(evaluation);
    return later.thenApply(result -> publish(check, evaluation, result, start));
  }

  private CompletionStage<RateLimitResult> decideRemotely(
      RemoteDecisions decisions, LimitCheck check, Evaluation evaluation, long start) {
    return decisions
        .decide(check, evaluation)
        .thenApply(result -> publish(check, evaluation, result, start));
  }

  /** Returns why the decision point would reject checks; nothing is rejected without one. */
  List<Optional<String>> rejections(List<LimitCheck> checks) {
    return remote != null && enabled
        ? remote.rejections(checks)
        : checks.stream().map(check -> Optional.<String>empty()).toList();
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
    if (!enabled) {
      return RateLimitResult.of(Reason.DISABLED);
    }
    return check instanceof LimitCheck.OfLimits ofLimits
        ? callLimits.find(
            ofLimits, evaluation, rules.current(), rules.withDeclared(), buffers.ranks())
        : lookup.find(check, evaluation, rules.current(), buffers.ranks());
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
    ActiveRules current = rules.current();
    return current != null && enabled && unobserved && cost >= 1 && cost <= RateLimitBand.MAX_TOKENS
        ? current.plan(plan)
        : null;
  }

  /** Decides without blocking; a caller waits whose limits say so. */
  CompletionStage<RateLimitResult> decideOrWait(LimitCheck check) {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(false);
    if (remote != null && enabled) {
      return decideRemotely(remote, check, evaluation, start);
    }
    RateLimitResult now;
    try {
      now = decideUnlessWaiting(check, evaluation);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    if (now != null) {
      return CompletableFuture.completedFuture(publish(check, evaluation, now, start));
    }
    return evaluation.mayWait(settings.onLimitExceed())
        ? waits.start(evaluation, terms, result -> publish(check, evaluation, result, start))
        : stores.acquire(evaluation).thenApply(result -> publish(check, evaluation, result, start));
  }

  /** Is {@link #decideOrWait}, and blocks the calling thread. */
  RateLimitResult decideOrWaitBlocking(LimitCheck check) throws InterruptedException {
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(false);
    if (remote != null && enabled) {
      return publish(check, evaluation, remote.decideAndWait(check, evaluation), start);
    }
    RateLimitResult now = decideUnlessWaiting(check, evaluation);
    if (now == null && evaluation.mayWait(settings.onLimitExceed())) {
      return waits.await(evaluation, terms, result -> publish(check, evaluation, result, start));
    }
    return publish(check, evaluation, now == null ? stores.acquireAndWait(evaluation) : now, start);
  }

  /** Decides on this thread; returns null if the caller may wait, or the store needs I/O. */
  private @Nullable RateLimitResult decideUnlessWaiting(LimitCheck check, Evaluation evaluation) {
    DecisionBuffers buffers = DecisionBuffers.acquire();
    try {
      RateLimitResult result = find(check, evaluation, buffers);
      if (result == null
          && !evaluation.mayWait(settings.onLimitExceed())
          && stores.acquireNow(evaluation.acquisition(), buffers.outcome())) {
        result = DecisionFinisher.finish(evaluation, buffers.outcome());
      }
      return result;
    } finally {
      buffers.release();
    }
  }

  /** Decides; the caller waits on the given terms, which replace those of its limits. */
  RateLimitResult acquire(LimitCheck check, WaitTerms terms) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (remote != null) {
      throw cannotWait();
    }
    long start = timed ? System.nanoTime() : 0;
    Evaluation evaluation = evaluation(false);
    RateLimitResult now = find(check, evaluation);
    return now == null
        ? waits.await(evaluation, terms, result -> publish(check, evaluation, result, start))
        : publish(check, evaluation, now, start);
  }

  /** Is {@link #acquire} without blocking a thread. */
  CompletionStage<RateLimitResult> acquireAsync(LimitCheck check, WaitTerms terms) {
    if (remote != null) {
      return CompletableFuture.failedFuture(cannotWait());
    }
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

  private static UnsupportedOperationException cannotWait() {
    return new UnsupportedOperationException(
        "callers cannot wait while a server decides: it denies with retryAfter; check, and try"
            + " again after that time");
  }

  private @Nullable RateLimitResult find(LimitCheck check, Evaluation evaluation) {
    DecisionBuffers buffers = DecisionBuffers.acquire();
    try {
      return find(check, evaluation, buffers);
    } finally {
      buffers.release();
    }
  }

  /** Explains how a check would be decided; acquires, counts and notifies nothing. */
  CompletionStage<Explanation> explain(LimitCheck check) {
    if (remote != null) {
      return CompletableFuture.failedFuture(
          new UnsupportedOperationException(
              "a server decides and has the buckets: use its /v1/explain"));
    }
    ActiveRules current = rules.current();
    if (current == null || !enabled) {
      return decide(check, true, false).thenApply(result -> new Explanation(result, List.of()));
    }
    try {
      return Explainer.of(check, current, lookup, settings)
          .explain(stores::peek, (asked, dryRun) -> decide(asked, dryRun, false));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Ends waiting callers, and the threads of listeners. */
  @Override
  public void close() {
    waits.close();
    for (ListenerDispatcher listener : listeners) {
      listener.close();
    }
  }
}
