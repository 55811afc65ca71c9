package dev.redline.resilience;

import dev.redline.core.settings.Settings;
import dev.redline.core.store.StoreException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.IllegalStateTransitionException;
import io.github.resilience4j.core.IntervalFunction;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of one node, on top of Resilience4j's. While closed it counts calls: it opens
 * at a failure rate, and after several consecutive failures, which old successes in the window
 * would hide. While half open it counts probes for which the node was called; if probes do not end
 * in time, it opens again, so that others are permitted later.
 */
final class NodeCircuitBreaker {
  private static final Logger LOG = System.getLogger(CircuitBreakingStore.class.getName());
  private static final double OPEN_JITTER = 0.125;
  private static final long NEVER = Long.MIN_VALUE;

  /** A node counts as gone if no acquisition needed it for so many times the probe time-out. */
  private static final int ABANDONED_FACTOR = 8;

  private final String name;
  private final CircuitBreaker breaker;
  private final int maxConsecutiveFailures;
  private final long probeTimeoutNanos;
  private final AtomicInteger consecutiveFailures = new AtomicInteger();
  private final AtomicLong answeredCalls = new AtomicLong();

  /** How often the node has recovered; changed by one thread at a time. */
  private volatile int recoveries;

  private volatile String lastFailure = "";
  private volatile boolean storeLogsOutage;
  private volatile boolean logged = true;

  /** When an acquisition last needed the node, or its breaker opened. */
  private volatile long neededNanos = System.nanoTime();

  /** When the first acquisition found all probes in use, since the last probe began or ended. */
  private volatile long outOfProbesSince = NEVER;

  /**
   * Creates the breaker of a node.
   *
   * @param slow how long a call takes that counts as slow
   * @param probeTimeout how long probes may take
   */
  NodeCircuitBreaker(
      String name, Settings.CircuitBreaker settings, Duration slow, Duration probeTimeout) {
    this.name = name;
    this.probeTimeoutNanos = probeTimeout.toNanos();
    this.maxConsecutiveFailures = settings.failuresInARow();
    this.breaker = CircuitBreaker.of(name, config(settings, slow));
    breaker
        .getEventPublisher()
        .onStateTransition(
            event ->
                changed(
                    event.getStateTransition().getFromState(),
                    event.getStateTransition().getToState()));
  }

  private static CircuitBreakerConfig config(Settings.CircuitBreaker settings, Duration slow) {
    // Jitter only shortens the time: the configured one is the longest.
    double middle = settings.openDuration().toMillis() * (1 - OPEN_JITTER);
    return CircuitBreakerConfig.custom()
        .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.TIME_BASED)
        .slidingWindowSize((int) Math.max(1, settings.window().toSeconds()))
        .minimumNumberOfCalls(settings.minimumCalls())
        .failureRateThreshold(settings.failureRate())
        .slowCallRateThreshold(settings.slowCallRate())
        .slowCallDurationThreshold(slow)
        .permittedNumberOfCallsInHalfOpenState(settings.halfOpenCalls())
        .waitIntervalFunctionInOpenState(
            IntervalFunction.ofRandomized(
                (long) Math.max(1, middle), OPEN_JITTER / (1 - OPEN_JITTER)))
        .build();
  }

  private void changed(State from, State to) {
    outOfProbesSince = NEVER;
    if (to == State.CLOSED) {
      consecutiveFailures.set(0);
    }
    // One log line when the breaker opens and one when it closes; failed probes are not logged.
    if (from == State.CLOSED && to == State.OPEN) {
      neededNanos = System.nanoTime();
      logged = !storeLogsOutage;
      LOG.log(
          logged ? Level.WARNING : Level.DEBUG,
          "circuit breaker of the store"
              + at()
              + " opened, failure strategies decide: "
              + lastFailure);
    } else if (to == State.CLOSED) {
      LOG.log(
          logged ? Level.INFO : Level.DEBUG,
          "circuit breaker of the store" + at() + " closed, the store decides again");
    }
  }

  /** Sets whether the store has logged the outage; then the breaker does not. */
  void storeLogsOutage(boolean logs) {
    storeLogsOutage = logs;
  }

  private String at() {
    return name.isEmpty() ? "" : " at " + name;
  }

  BreakerState state() {
    return switch (breaker.getState()) {
      case OPEN, FORCED_OPEN -> BreakerState.OPEN;
      case HALF_OPEN -> BreakerState.HALF_OPEN;
      default -> BreakerState.CLOSED;
    };
  }

  boolean isClosed() {
    return breaker.getState() == State.CLOSED;
  }

  String name() {
    return name;
  }

  String lastFailure() {
    return lastFailure;
  }

  /** Permits an acquisition as a probe; returns null if it must not be sent. */
  @Nullable Probe probeOrNull() {
    neededNanos = System.nanoTime();
    return idleProbeOrNull();
  }

  /** Permits a probe that no caller needs. */
  @Nullable Probe idleProbeOrNull() {
    if (breaker.tryAcquirePermission()) {
      outOfProbesSince = NEVER;
      // After the permission: a probe that began before a recovery must not count as a later one.
      return new Probe(this, System.nanoTime(), answeredCalls.get(), recoveries);
    }
    expireProbes();
    return null;
  }

  /** Returns whether the breaker is not closed and no acquisition has needed it for a long time. */
  boolean isAbandoned() {
    return isIdleFor(ABANDONED_FACTOR * probeTimeoutNanos);
  }

  /** Returns whether the breaker is not closed and no acquisition has needed it for a while. */
  boolean isIdle(Duration atLeast) {
    return isIdleFor(atLeast.toNanos());
  }

  private boolean isIdleFor(long nanos) {
    return !isClosed() && System.nanoTime() - neededNanos > nanos;
  }

  /** Ends the outage of a node that is no longer needed in the log. */
  void logRemoval() {
    LOG.log(
        logged ? Level.INFO : Level.DEBUG,
        "circuit breaker of the store" + at() + " removed, the node is no longer needed");
  }

  /**
   * Opens the breaker again if its probes have not ended in time. Excludes the end of a probe,
   * which may close the breaker: it must not be opened after that.
   */
  private synchronized void expireProbes() {
    if (breaker.getState() != State.HALF_OPEN) {
      return;
    }
    long now = System.nanoTime();
    if (outOfProbesSince == NEVER) {
      outOfProbesSince = now;
    } else if (now - outOfProbesSince > probeTimeoutNanos) {
      breaker.transitionToOpenState();
    }
  }

  private synchronized void probeEnded(Probe probe, @Nullable Throwable failure) {
    if (probe.recoveries != recoveries) {
      return;
    }
    outOfProbesSince = NEVER;
    long nanos = System.nanoTime() - probe.start;
    if (failure != null) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, failure);
    } else if (answeredCalls.get() != probe.answeredBefore) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    } else {
      breaker.releasePermission();
    }
  }

  private synchronized void probeReleased(Probe probe) {
    if (probe.recoveries == recoveries) {
      breaker.releasePermission();
    }
  }

  /**
   * An acquisition that was permitted as a probe.
   *
   * @param start when it was permitted
   * @param answeredBefore how many calls the node had answered until then
   * @param recoveries how often the node had recovered until then
   */
  record Probe(NodeCircuitBreaker breaker, long start, long answeredBefore, int recoveries) {
    /** Releases the permission of an acquisition that was not sent. */
    void release() {
      breaker.probeReleased(this);
    }

    /**
     * Counts the probe, unless it succeeded without a call to the node: a denial from the deny
     * cache says nothing about the node.
     *
     * @param failure the failure of the node; null if the probe succeeded
     */
    void ended(@Nullable Throwable failure) {
      breaker.probeEnded(this, failure);
    }
  }

  void callAnswered(long nanos) {
    answeredCalls.incrementAndGet();
    consecutiveFailures.set(0);
    if (isClosed()) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }
  }

  void callFailed(long nanos, StoreException failure) {
    lastFailure = String.valueOf(failure.getMessage());
    if (isClosed()) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, failure);
      if (consecutiveFailures.incrementAndGet() >= maxConsecutiveFailures && isClosed()) {
        breaker.transitionToOpenState();
      }
    }
  }

  /**
   * Permits probes now, before the open duration has passed. Probes that began before do not count:
   * what they say about the node is old.
   */
  synchronized void permitProbesNow() {
    if (isClosed()) {
      return;
    }
    recoveries++;
    try {
      breaker.transitionToHalfOpenState();
    } catch (IllegalStateTransitionException e) {
      // The probes of another thread have closed it meanwhile.
      LOG.log(Level.TRACE, "circuit breaker of the store" + at() + " is not open", e);
    }
  }
}
