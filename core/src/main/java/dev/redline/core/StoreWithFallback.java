package dev.redline.core;

import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.OnStoreFailure;
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

/** The store that decides, what decides when it cannot, and the telling of both. */
final class StoreWithFallback {
  private final StorageProvider store;
  private final @Nullable StorageProvider fallback;
  private final OnStoreFailure unlessSaid;
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
    this.unlessSaid = settings.onStoreFailure();
    this.share = new LocalShare(settings.localShare());
    this.metrics = metrics;
    this.timed = metrics != MetricsExporter.NONE;
    if (unlessSaid == OnStoreFailure.LOCAL) {
      checkFallback("settings");
    }
  }

  /** Rejects rules that need a fallback if the store can fail and there is none. */
  void checkFallback(RuleBook book) {
    for (CompiledRule rule : book.rules()) {
      if (rule.rule().onStoreFailure().equals(Optional.of(OnStoreFailure.LOCAL))) {
        checkFallback("rule '" + rule.rule().id() + "'");
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

  /** Asks the store to decide without I/O; a dry run is not timed, as it counts in no metric. */
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

  /** Asks the store to do I/O, and whatever the rules say to ask when it fails. */
  CompletionStage<RateLimitResult> ask(Evaluation evaluation, Acquisition acquisition) {
    boolean told = timed && !acquisition.dryRun();
    long start = told ? System.nanoTime() : 0;
    return store
        .acquire(acquisition)
        .handle(
            (outcome, failure) -> {
              if (told) {
                metrics.stored(store.type(), failure == null, System.nanoTime() - start);
              }
              return failure == null
                  ? evaluation.finish(outcome)
                  : withoutPrimary(evaluation, acquisition, failure);
            });
  }

  /** Likewise, and waits for it on the caller's thread. */
  RateLimitResult askAndWait(Evaluation evaluation, Acquisition acquisition) {
    boolean told = timed && !acquisition.dryRun();
    long start = told ? System.nanoTime() : 0;
    Outcome outcome;
    try {
      outcome = store.acquireAndWait(acquisition);
    } catch (RuntimeException failure) {
      if (told) {
        metrics.stored(store.type(), false, System.nanoTime() - start);
      }
      return withoutPrimary(evaluation, acquisition, failure);
    }
    if (told) {
      metrics.stored(store.type(), true, System.nanoTime() - start);
    }
    return evaluation.finish(outcome);
  }

  /** Returns the state of buckets; takes nothing, and has no answer when the store fails. */
  CompletionStage<Outcome> peek(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    return store.acquireNow(acquisition, outcome)
        ? CompletableFuture.completedFuture(outcome)
        : store.acquire(acquisition);
  }

  /** Attempts once for a caller who may wait: nothing of it counts as a decision yet. */
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
      // A store must not throw; if one does, a caller must not wait for ever.
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

  private RateLimitResult withoutPrimary(
      Evaluation evaluation, Acquisition acquisition, Throwable failure) {
    return attemptWithoutPrimary(evaluation, acquisition, failure).finish(evaluation);
  }

  /** Decides by the strictest strategy of the rules that apply, the store having failed. */
  private Attempt attemptWithoutPrimary(
      Evaluation evaluation, Acquisition acquisition, Throwable failure) {
    OnStoreFailure strategy = evaluation.onStoreFailure(unlessSaid);
    Attempt local = strategy == OnStoreFailure.LOCAL ? decideHere(acquisition) : null;
    if (strategy != null && !acquisition.dryRun()) {
      boolean nobodyLeft = strategy == OnStoreFailure.LOCAL && local == null;
      metrics.storeFailed(
          store.type(), nobodyLeft ? OnStoreFailure.CLOSED : strategy, kind(failure));
    }
    return local == null ? Attempt.failed(acquisition, strategy) : local;
  }

  /** Decides by what the store refused before, else by this node's share; null if it cannot. */
  private @Nullable Attempt decideHere(Acquisition acquisition) {
    Outcome outcome = new Outcome();
    if (store.refuseFromMemory(acquisition, outcome)) {
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

  /** Makes every bucket of some owners fresh, here and in the store. */
  CompletionStage<Void> reset(List<BucketLimits> owners) {
    return fallback == null
        ? store.reset(owners)
        : fallback.reset(owners).thenCompose(done -> store.reset(owners));
  }

  /** Makes one bucket fresh, here and in the store. */
  CompletionStage<Void> reset(RateLimitKey key) {
    return fallback == null
        ? store.reset(key)
        : fallback.reset(share.of(key)).thenCompose(done -> store.reset(key));
  }

  /** Says that other rules are in force. */
  void rulesChanged() {
    share.forget();
  }

  private static StoreException.Kind kind(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    return cause instanceof StoreException told ? told.kind() : StoreException.Kind.UNAVAILABLE;
  }
}
