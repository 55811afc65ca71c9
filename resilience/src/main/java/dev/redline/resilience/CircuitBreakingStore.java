package dev.redline.resilience;

import dev.redline.core.DecisionPoint;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.settings.Settings;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.resilience.NodeCircuitBreaker.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store with a <a href="https://martinfowler.com/bliki/CircuitBreaker.html">circuit breaker</a>
 * for each of its nodes. After several failures the breaker of a node opens: acquisitions that need
 * the node fail at once, and the engine applies the failure strategy of their rules. After a while
 * a few acquisitions are sent as probes; if they succeed, the breaker closes.
 *
 * <p>Breakers count calls, each of which may carry many acquisitions. Thread-safe.
 */
public final class CircuitBreakingStore extends ForwardingStore {
  private static final double SLOW_SHARE = 0.8;
  private static final int MAX_BREAKERS = 256;

  /** How many identities are tried to find a key of a node. */
  private static final int PROBE_KEYS = 5000;

  /** A bucket that is never empty: its acquisitions only show whether a node decides. */
  private static final BucketLimits PROBE_LIMITS =
      new BucketLimits(
          OwnerKind.RULE,
          "redline-probe",
          List.of(RateLimitBand.of(1000, 1000, Duration.ofSeconds(1))));

  private final RemoteStore store;
  private final Settings.CircuitBreaker settings;
  private final Duration slow;
  private final Duration probeTimeout;
  private final Map<String, NodeCircuitBreaker> breakers = new ConcurrentHashMap<>();

  /**
   * Creates the breakers of a store, and observes its calls.
   *
   * @param settings when a breaker opens, and how it closes again
   * @param commandTimeout how long a call may take; one that takes 80 % of it counts as slow
   */
  public CircuitBreakingStore(
      RemoteStore store, Settings.CircuitBreaker settings, Duration commandTimeout) {
    this.store = store;
    this.settings = settings;
    this.slow = Duration.ofNanos((long) (commandTimeout.toNanos() * SLOW_SHARE));
    this.probeTimeout = settings.openDuration().plus(commandTimeout);
    store.observe(new CallRecorder());
  }

  @Override
  protected StorageProvider delegate() {
    return store;
  }

  private NodeCircuitBreaker breaker(String node) {
    NodeCircuitBreaker known = breakers.get(node);
    if (known != null) {
      return known;
    }
    if (breakers.size() >= MAX_BREAKERS) {
      // Addresses of masters change over time; a closed breaker can be created again.
      breakers.values().removeIf(NodeCircuitBreaker::isClosed);
    }
    return breakers.computeIfAbsent(
        node, name -> new NodeCircuitBreaker(name, settings, slow, probeTimeout));
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return isClosedFor(acquisition) && store.acquireNow(acquisition, outcome);
  }

  private boolean isClosedFor(Acquisition acquisition) {
    if (allClosed()) {
      return true;
    }
    for (String node : store.nodes(acquisition)) {
      if (!breaker(node).isClosed()) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether all breakers are closed; then the nodes of an acquisition do not matter. */
  private boolean allClosed() {
    for (NodeCircuitBreaker breaker : breakers.values()) {
      if (!breaker.isClosed()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return acquire(acquisition, false);
  }

  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return acquire(acquisition, true);
  }

  private CompletionStage<Outcome> acquire(Acquisition acquisition, boolean forEventLoop) {
    List<Probe> probes;
    try {
      probes = probes(acquisition);
    } catch (StoreException open) {
      return CompletableFuture.failedFuture(open);
    }
    return call(probes, () -> send(acquisition, forEventLoop));
  }

  /** Makes a call that probes permit, and ends the probes with it. */
  private static <T> CompletionStage<T> call(
      List<Probe> probes, Supplier<CompletionStage<T>> call) {
    if (probes.isEmpty()) {
      return call.get();
    }
    try {
      return call.get().whenComplete((outcome, error) -> ended(probes, error));
    } catch (Throwable e) {
      ended(probes, e);
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletionStage<Outcome> send(Acquisition acquisition, boolean forEventLoop) {
    return forEventLoop ? store.acquireForEventLoop(acquisition) : store.acquire(acquisition);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    return callAndWait(probes(acquisition), () -> store.acquireAndWait(acquisition));
  }

  private static <T> T callAndWait(List<Probe> probes, Supplier<T> call) {
    try {
      T outcome = call.get();
      ended(probes, null);
      return outcome;
    } catch (Throwable e) {
      ended(probes, e);
      throw e;
    }
  }

  /**
   * Returns a decision point that fails at once while the breaker of its node is open. Its calls
   * are those that the store reports.
   */
  public DecisionPoint guard(DecisionPoint point) {
    return new GuardedPoint(point);
  }

  private final class GuardedPoint implements DecisionPoint {
    private final DecisionPoint point;
    private final List<String> nodes;

    GuardedPoint(DecisionPoint point) {
      this.point = point;
      this.nodes = List.of(point.node());
    }

    @Override
    public String node() {
      return point.node();
    }

    @Override
    public CompletionStage<RateLimitResult> decide(LimitCheck check, boolean dryRun) {
      List<Probe> probes;
      try {
        probes = allClosed() ? List.of() : probes(nodes);
      } catch (StoreException open) {
        return CompletableFuture.failedFuture(open);
      }
      return call(probes, () -> point.decide(check, dryRun));
    }

    @Override
    public RateLimitResult decideAndWait(LimitCheck check, boolean dryRun) {
      List<Probe> probes = allClosed() ? List.of() : probes(nodes);
      return callAndWait(probes, () -> point.decideAndWait(check, dryRun));
    }

    /** Calls it even if the breaker is open: a start happens once. */
    @Override
    public List<Optional<String>> rejections(List<LimitCheck> checks) {
      return point.rejections(checks);
    }
  }

  /**
   * Returns a probe for each node of the acquisition whose breaker is not closed.
   *
   * @throws StoreException if a breaker does not permit a probe
   */
  private List<Probe> probes(Acquisition acquisition) {
    return allClosed() ? List.of() : probes(store.nodes(acquisition));
  }

  private List<Probe> probes(List<String> nodes) {
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
            StoreException.Kind.UNAVAILABLE,
            "the circuit breaker is open after: " + breaker.lastFailure());
      }
      probes = probes.isEmpty() ? new ArrayList<>(1) : probes;
      probes.add(probe);
    }
    if (breakers.size() > nodes.size()) {
      removeAbandoned();
    }
    return probes;
  }

  /** Removes the breakers of nodes that left the cluster: no call could ever close them. */
  private void removeAbandoned() {
    for (NodeCircuitBreaker breaker : breakers.values()) {
      if (breaker.isAbandoned() && breakers.values().remove(breaker)) {
        breaker.logRemoval();
      }
    }
  }

  /**
   * Sends a probe to each node whose breaker would not close without one, because no acquisition
   * has needed the node for a while. It acquires a token of a bucket of its own: a dry run writes
   * nothing, and so would not notice that Redis has no memory left or is a replica.
   */
  private void probeIdle() {
    for (NodeCircuitBreaker breaker : breakers.values()) {
      if (!breaker.isIdle(settings.openDuration())) {
        continue;
      }
      Acquisition acquisition = acquisitionAt(breaker.name());
      if (acquisition == null) {
        if (breaker.isAbandoned() && breakers.values().remove(breaker)) {
          breaker.logRemoval();
        }
        continue;
      }
      Probe probe = breaker.idleProbeOrNull();
      if (probe != null) {
        var unused = call(List.of(probe), () -> store.acquire(acquisition));
      }
    }
  }

  /** Returns an acquisition that needs just this node; null if no key leads to it. */
  private @Nullable Acquisition acquisitionAt(String node) {
    List<String> wanted = List.of(node);
    for (int i = 0; i < PROBE_KEYS; i++) {
      Acquisition acquisition =
          Acquisition.of(new RateLimitKey(PROBE_LIMITS, Integer.toString(i)), 1);
      if (store.nodes(acquisition).equals(wanted)) {
        return acquisition;
      }
    }
    return null;
  }

  private static void ended(List<Probe> probes, @Nullable Throwable error) {
    Throwable failure = nodeFailure(error);
    probes.forEach(probe -> probe.ended(failure));
  }

  /** Returns the failure, or null if it is not the node's: a malformed value or check is not. */
  private static @Nullable Throwable nodeFailure(@Nullable Throwable error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    boolean replied =
        cause instanceof IllegalArgumentException
            || (cause instanceof StoreException failure
                && failure.kind() == StoreException.Kind.BAD_STATE);
    return replied ? null : cause;
  }

  /** Returns the worst state of all breakers: open, then half open, then closed. */
  public BreakerState state() {
    BreakerState worst = BreakerState.CLOSED;
    for (NodeCircuitBreaker breaker : breakers.values()) {
      BreakerState state = breaker.state();
      worst = state.compareTo(worst) > 0 ? state : worst;
    }
    return worst;
  }

  /** Returns the last failure of a node whose breaker is not closed; empty while all are. */
  public Optional<String> lastFailure() {
    return breakers.values().stream()
        .filter(breaker -> !breaker.isClosed())
        .map(NodeCircuitBreaker::lastFailure)
        .filter(failure -> !failure.isEmpty())
        .findFirst();
  }

  private final class CallRecorder implements RemoteStore.CallObserver {
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
      breakers.values().forEach(NodeCircuitBreaker::permitProbesNow);
    }

    @Override
    public void alive() {
      probeIdle();
    }
  }
}
