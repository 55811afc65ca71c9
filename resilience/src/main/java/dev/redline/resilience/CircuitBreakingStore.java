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
import dev.redline.resilience.NodeCircuitBreaker.Probe;
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
public final class CircuitBreakingStore implements StorageProvider {
  private static final double SLOW = 0.8;
  private static final int MAX_BREAKERS = 256;

  private final RemoteStore store;
  private final Settings.CircuitBreaker settings;
  private final Duration slow;
  private final Duration patience;
  private final Map<String, NodeCircuitBreaker> breakers = new ConcurrentHashMap<>();

  /**
   * Guards a store, and observes its calls.
   *
   * @param settings when a node is left alone, and how it is tried again
   * @param commandTimeout how long a call may take; one that takes most of it counts as slow
   */
  public CircuitBreakingStore(
      RemoteStore store, Settings.CircuitBreaker settings, Duration commandTimeout) {
    this.store = store;
    this.settings = settings;
    this.slow = Duration.ofNanos((long) (commandTimeout.toNanos() * SLOW));
    this.patience = settings.openDuration().plus(commandTimeout);
    store.observe(new Calls());
  }

  private NodeCircuitBreaker breaker(String node) {
    NodeCircuitBreaker known = breakers.get(node);
    if (known != null) {
      return known;
    }
    if (breakers.size() >= MAX_BREAKERS) {
      // Masters come and go under other addresses; whoever is closed is as good as new.
      breakers.values().removeIf(NodeCircuitBreaker::isClosed);
    }
    return breakers.computeIfAbsent(
        node, name -> new NodeCircuitBreaker(name, settings, slow, patience));
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
    List<Probe> probes;
    try {
      probes = probes(acquisition);
    } catch (StoreException leftAlone) {
      return CompletableFuture.failedFuture(leftAlone);
    }
    if (probes.isEmpty()) {
      return store.acquire(acquisition);
    }
    try {
      return store.acquire(acquisition).whenComplete((outcome, error) -> ended(probes, error));
    } catch (Throwable e) {
      ended(probes, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    List<Probe> probes = probes(acquisition);
    try {
      Outcome outcome = store.acquireAndWait(acquisition);
      ended(probes, null);
      return outcome;
    } catch (Throwable e) {
      ended(probes, e);
      throw e;
    }
  }

  /**
   * Returns the acquisition as a probe of each node whose breaker is not closed; none if all are.
   *
   * @throws StoreException if it must not be sent to one of them
   */
  private List<Probe> probes(Acquisition acquisition) {
    List<String> nodes = store.nodes(acquisition);
    List<Probe> probes = List.of();
    for (int i = 0; i < nodes.size(); i++) {
      NodeCircuitBreaker breaker = breaker(nodes.get(i));
      if (breaker.isClosed()) {
        continue;
      }
      Probe probe = breaker.probeOrNull();
      if (probe == null) {
        probes.forEach(Probe::release);
        throw new StoreException(
            StoreException.Kind.UNAVAILABLE, "left alone after: " + breaker.lastFailure());
      }
      probes = probes.isEmpty() ? new ArrayList<>(1) : probes;
      probes.add(probe);
    }
    if (breakers.size() > nodes.size()) {
      forgetAbandoned();
    }
    return probes;
  }

  /** Forgets nodes that failed and left: nothing is sent to them that could close their breaker. */
  private void forgetAbandoned() {
    for (NodeCircuitBreaker breaker : breakers.values()) {
      if (breaker.isAbandoned() && breakers.values().remove(breaker)) {
        breaker.forgotten();
      }
    }
  }

  private static void ended(List<Probe> probes, @Nullable Throwable error) {
    Throwable blame = blame(error);
    probes.forEach(probe -> probe.ended(blame));
  }

  /** Returns why a node is to blame, or null: a malformed value is not a node failure. */
  private static @Nullable Throwable blame(@Nullable Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    boolean answered =
        cause instanceof StoreException told && told.kind() == StoreException.Kind.BAD_STATE;
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
    for (NodeCircuitBreaker breaker : breakers.values()) {
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
      breakers.values().forEach(NodeCircuitBreaker::tryNow);
    }
  }
}
