package dev.redline.core;

import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The store that decides, what decides when it fails, and the metrics of both. */
final class StoreWithFallback {
  private final StorageProvider store;
  private final @Nullable StorageProvider fallback;
  private final OnStoreFailure byDefault;
  private final LocalShare share;
  private final MetricsExporter metrics;
  private final boolean timed;

  StoreWithFallback(
      StorageProvider store,
      @Nullable StorageProvider fallback,
      EngineSettings settings,
      MetricsExporter metrics) {
    this.store = store;
    this.fallback = fallback;
    this.byDefault = settings.onStoreFailure();
    this.share = new LocalShare(settings.localShare());
    this.metrics = metrics;
    this.timed = metrics != MetricsExporter.NONE;
    if (byDefault == OnStoreFailure.LOCAL) {
      checkFallback("settings");
    }
  }

  /** Rejects rules that need a fallback if the store can fail and there is none. */
  void checkFallback(RuleBook book) {
    checkFallback(book.rules());
  }

  /** Rejects rules that need a fallback if the store can fail and there is none. */
  void checkFallback(List<RateLimitRule> rules) {
    for (RateLimitRule rule : rules) {
      if (rule.onStoreFailure().equals(Optional.of(OnStoreFailure.LOCAL))) {
        checkFallback("rule '" + rule.id() + "'");
      }
    }
  }

  private void checkFallback(String who) {
    if (fallback == null && !(store instanceof InMemoryStore)) {
      throw new IllegalArgumentException(
          who
              + ": onStoreFailure LOCAL needs a fallback store, and store '"
              + store.type()
              + "' has none: use ResilientStore.of(store) or fallback(new LocalStore()), or say"
              + " OPEN or CLOSED");
    }
  }

  /** Acquires without I/O if the store can; a dry run counts in no metric. */
  boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    if (!timed || acquisition.dryRun()) {
      return store.acquireNow(acquisition, outcome);
    }
    long start = System.nanoTime();
    boolean decided = store.acquireNow(acquisition, outcome);
    if (decided) {
      metrics.stored(store.type(), true, System.nanoTime() - start);
    }
    return decided;
  }

  /** Acquires with I/O; if the store fails, the strategy of the rules decides. */
  CompletionStage<RateLimitResult> acquire(Evaluation evaluation) {
    return acquire(evaluation, false);
  }

  /** Is {@link #acquire}; continuations may run on an I/O thread of the store. */
  CompletionStage<RateLimitResult> acquireForEventLoop(Evaluation evaluation) {
    return acquire(evaluation, true);
  }

  private CompletionStage<RateLimitResult> acquire(Evaluation evaluation, boolean forEventLoop) {
    Acquisition acquisition = evaluation.acquisition();
    boolean measured = timed && !acquisition.dryRun();
    long start = measured ? System.nanoTime() : 0;
    CompletionStage<Outcome> stage =
        forEventLoop ? store.acquireForEventLoop(acquisition) : store.acquire(acquisition);
    return stage.handle(
        (outcome, failure) -> {
          if (measured) {
            metrics.stored(store.type(), failure == null, System.nanoTime() - start);
          }
          return failure == null
              ? DecisionFinisher.finish(evaluation, outcome)
              : withoutPrimary(evaluation, acquisition, failure);
        });
  }

  /** Is {@link #acquire}, and waits for the store on the caller's thread. */
  RateLimitResult acquireAndWait(Evaluation evaluation) {
    Acquisition acquisition = evaluation.acquisition();
    boolean measured = timed && !acquisition.dryRun();
    long start = measured ? System.nanoTime() : 0;
    Outcome outcome;
    try {
      outcome = store.acquireAndWait(acquisition);
    } catch (RuntimeException failure) {
      if (measured) {
        metrics.stored(store.type(), false, System.nanoTime() - start);
      }
      return withoutPrimary(evaluation, acquisition, failure);
    }
    if (measured) {
      metrics.stored(store.type(), true, System.nanoTime() - start);
    }
    return DecisionFinisher.finish(evaluation, outcome);
  }

  /** Returns the state of buckets by a dry run; fails when the store does. */
  CompletionStage<Outcome> peek(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    return store.acquireNow(acquisition, outcome)
        ? CompletableFuture.completedFuture(outcome)
        : store.acquire(acquisition);
  }

  /** Attempts once for a caller that may wait; the attempt is not the decision yet. */
  CompletionStage<Attempt> attempt(Evaluation evaluation, Acquisition acquisition) {
    Outcome now = new Outcome();
    if (acquireNow(acquisition, now)) {
      return CompletableFuture.completedFuture(Attempt.of(acquisition, now));
    }
    long start = timed ? System.nanoTime() : 0;
    CompletionStage<Outcome> stage;
    try {
      stage = store.acquire(acquisition);
    } catch (RuntimeException e) {
      // A store must not throw; if one does, the caller must not wait forever.
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.handle(
        (outcome, failure) -> {
          if (timed) {
            metrics.stored(store.type(), failure == null, System.nanoTime() - start);
          }
          return failure == null
              ? Attempt.of(acquisition, outcome)
              : attemptWithoutPrimary(evaluation, acquisition, failure);
        });
  }

  /** Decides by the strategy of the rules what a decision point elsewhere could not decide. */
  RateLimitResult decideWithoutPrimary(Evaluation evaluation, StoreException failure) {
    return withoutPrimary(evaluation, evaluation.acquisition(), failure);
  }

  /** Records a call of a decision point. */
  void called(boolean success, long nanos) {
    if (timed) {
      metrics.stored(store.type(), success, nanos);
    }
  }

  /** Records which strategy decided because a decision point failed. */
  void failed(boolean dryRun, OnStoreFailure strategy, StoreException failure) {
    if (!dryRun) {
      metrics.storeFailed(store.type(), strategy, failure.kind());
    }
  }

  private RateLimitResult withoutPrimary(
      Evaluation evaluation, Acquisition acquisition, Throwable failure) {
    return attemptWithoutPrimary(evaluation, acquisition, failure).finish(evaluation);
  }

  /** Decides by the strictest strategy of the rules that apply, the store having failed. */
  private Attempt attemptWithoutPrimary(
      Evaluation evaluation, Acquisition acquisition, Throwable failure) {
    OnStoreFailure strategy = evaluation.onStoreFailure(byDefault);
    Attempt local = strategy == OnStoreFailure.LOCAL ? decideHere(acquisition) : null;
    if (strategy != null && !acquisition.dryRun()) {
      boolean noFallback = strategy == OnStoreFailure.LOCAL && local == null;
      metrics.storeFailed(
          store.type(), noFallback ? OnStoreFailure.CLOSED : strategy, kind(failure));
    }
    return local == null ? Attempt.failed(acquisition, strategy) : local;
  }

  /** Decides by what the store denied before, else by this node's share; null if it cannot. */
  private @Nullable Attempt decideHere(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    if (store.denyFromMemory(acquisition, outcome)) {
      outcome.degrade();
      return Attempt.of(acquisition, outcome);
    }
    Acquisition own = share.of(acquisition);
    if (fallback == null || !fallback.acquireNow(own, outcome)) {
      return null;
    }
    outcome.degrade();
    return Attempt.of(own, outcome);
  }

  /** Makes every bucket of some owners full, in the fallback and in the store. */
  CompletionStage<Void> reset(List<BucketLimits> owners) {
    return fallback == null
        ? store.reset(owners)
        : fallback.reset(owners).thenCompose(done -> store.reset(owners));
  }

  /** Makes one bucket full, in the fallback and in the store. */
  CompletionStage<Void> reset(RateLimitKey key) {
    return fallback == null
        ? store.reset(key)
        : fallback.reset(share.of(key)).thenCompose(done -> store.reset(key));
  }

  /** Drops what was computed for the rules that were in force. */
  void rulesChanged() {
    share.forget();
  }

  private static StoreException.Kind kind(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    return cause instanceof StoreException known ? known.kind() : StoreException.Kind.UNAVAILABLE;
  }
}
