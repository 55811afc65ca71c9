package dev.redline.resilience;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.settings.Settings;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.StoreHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A store behind circuit breakers, one for each of its nodes: a node that fails is left alone for a
 * while, and then tried with a few acquisitions. While it is left alone, acquisitions that need it
 * fail at once, and whoever asked decides by the failure strategy.
 *
 * <p>What is counted are calls, of which one may carry many acquisitions. Thread-safe.
 */
public final class GuardedStore implements StorageProvider {
  private static final double SLOW = 0.8;
  private static final int MAX_BREAKERS = 256;

  private final RemoteStore store;
  private final Settings.CircuitBreaker settings;
  private final Duration slow;
  private final Map<String, NodeBreaker> breakers = new ConcurrentHashMap<>();

  /**
   * Guards a store, and observes its calls.
   *
   * @param settings when a node is left alone, and how it is tried again
   * @param commandTimeout how long a call may take; one that takes most of it counts as slow
   */
  public GuardedStore(
      RemoteStore store, Settings.CircuitBreaker settings, Duration commandTimeout) {
    this.store = store;
    this.settings = settings;
    this.slow = Duration.ofNanos((long) (commandTimeout.toNanos() * SLOW));
    store.observe(new Calls());
  }

  private NodeBreaker breaker(String node) {
    NodeBreaker known = breakers.get(node);
    if (known != null) {
      return known;
    }
    if (breakers.size() >= MAX_BREAKERS) {
      // Masters come and go under other addresses; whoever is closed is as good as new.
      breakers.values().removeIf(NodeBreaker::isClosed);
    }
    return breakers.computeIfAbsent(node, name -> new NodeBreaker(name, settings, slow));
  }

  @Override
  public String type() {
    return store.type();
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return state() == BreakerState.CLOSED && store.acquireNow(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    List<NodeBreaker> probed;
    try {
      probed = permitted(acquisition);
    } catch (StoreException leftAlone) {
      return CompletableFuture.failedFuture(leftAlone);
    }
    if (probed.isEmpty()) {
      return store.acquire(acquisition);
    }
    long start = System.nanoTime();
    return store
        .acquire(acquisition)
        .whenComplete((outcome, error) -> probed(probed, start, error));
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    List<NodeBreaker> probed = permitted(acquisition);
    long start = System.nanoTime();
    try {
      Outcome outcome = store.acquireAndWait(acquisition);
      probed(probed, start, null);
      return outcome;
    } catch (RuntimeException e) {
      probed(probed, start, e);
      throw e;
    }
  }

  /**
   * Returns the breakers that let the acquisition through as a probe; none if all are closed.
   *
   * @throws StoreException if one does not let it through
   */
  private List<NodeBreaker> permitted(Acquisition acquisition) {
    List<String> nodes = store.nodes(acquisition);
    List<NodeBreaker> probed = List.of();
    for (int i = 0; i < nodes.size(); i++) {
      NodeBreaker breaker = breaker(nodes.get(i));
      if (breaker.isClosed()) {
        continue;
      }
      if (!breaker.permits()) {
        probed.forEach(NodeBreaker::release);
        throw new StoreException(
            StoreException.Kind.REDISERROR, "left alone after: " + breaker.lastFailure());
      }
      probed = probed.isEmpty() ? new ArrayList<>(1) : probed;
      probed.add(breaker);
    }
    return probed;
  }

  private static void probed(List<NodeBreaker> breakers, long start, @Nullable Throwable error) {
    long nanos = System.nanoTime() - start;
    Throwable blame = blame(error);
    breakers.forEach(breaker -> breaker.probed(nanos, blame));
  }

  /** Returns why a node is to blame, or null if it answered: a value of ours is its own affair. */
  private static @Nullable Throwable blame(@Nullable Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    boolean answered =
        cause instanceof StoreException told && told.kind() == StoreException.Kind.BADTYPES;
    return answered ? null : cause;
  }

  @Override
  public boolean refuseFromMemory(Acquisition acquisition, Outcome outcome) {
    return store.refuseFromMemory(acquisition, outcome);
  }

  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    return store.reset(owners);
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    return store.reset(key);
  }

  /** Returns the state of the worst node. */
  public BreakerState state() {
    BreakerState worst = BreakerState.CLOSED;
    for (NodeBreaker breaker : breakers.values()) {
      BreakerState state = breaker.state();
      worst = state.compareTo(worst) > 0 ? state : worst;
    }
    return worst;
  }

  @Override
  public StoreHealth health() {
    return store.health();
  }

  @Override
  public void close() {
    store.close();
  }

  private final class Calls implements RemoteStore.CallObserver {
    @Override
    public void answered(String node, long nanos) {
      breaker(node).callAnswered(nanos);
    }

    @Override
    public void failed(String node, long nanos, StoreException failure) {
      breaker(node).callFailed(nanos, failure);
    }

    @Override
    public boolean away() {
      boolean logged = state() != BreakerState.CLOSED;
      breakers.values().forEach(breaker -> breaker.storeLogsOutage(true));
      return logged;
    }

    @Override
    public void recovered() {
      breakers.values().forEach(breaker -> breaker.storeLogsOutage(false));
      breakers.values().forEach(NodeBreaker::tryNow);
    }
  }
}
