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
 * The breaker of one node. While closed it counts calls; several failures in a row open it without
 * waiting for a rate, since a window full of old successes would hide them. While half open it
 * counts the acquisitions it let through, if the node was called for them; if they do not end, it
 * opens again after a while, and so gets others.
 */
final class NodeCircuitBreaker {
  private static final Logger LOG = System.getLogger(CircuitBreakingStore.class.getName());
  private static final double OPEN_JITTER = 0.125;
  private static final long NEVER = Long.MIN_VALUE;

  /** After how many times the patience a node that nobody needs counts as gone. */
  private static final int ABANDONED = 8;

  private final String name;
  private final CircuitBreaker breaker;
  private final int failuresInARow;
  private final long patienceNanos;
  private final AtomicInteger inARow = new AtomicInteger();
  private final AtomicLong answers = new AtomicLong();
  private volatile String lastFailure = "";
  private volatile boolean storeLogs;
  private volatile boolean logged = true;

  /** When an acquisition last needed the node, or its breaker opened. */
  private volatile long neededNanos = System.nanoTime();

  /** When the first acquisition found all probes in use, since the last probe began or ended. */
  private volatile long outOfProbesSince = NEVER;

  /**
   * Creates the breaker of a node.
   *
   * @param slow how long a call takes that counts as slow
   * @param patience how long probes may take
   */
  NodeCircuitBreaker(
      String name, Settings.CircuitBreaker settings, Duration slow, Duration patience) {
    this.name = name;
    this.patienceNanos = patience.toNanos();
    this.failuresInARow = settings.failuresInARow();
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
    // Jitter only ever shortens: the configured time is the longest the store is left alone.
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
      inARow.set(0);
    }
    // Probing that fails is no news: one line when the store is given up, one when it is back.
    if (from == State.CLOSED && to == State.OPEN) {
      neededNanos = System.nanoTime();
      logged = !storeLogs;
      LOG.log(
          logged ? Level.WARNING : Level.DEBUG,
          "the store" + at() + " is left alone, failure strategies decide: " + lastFailure);
    } else if (to == State.CLOSED) {
      LOG.log(logged ? Level.INFO : Level.DEBUG, "the store" + at() + " decides again");
    }
  }

  /** Notes whether the store has logged that it is away; then this need not. */
  void storeLogsOutage(boolean logs) {
    storeLogs = logs;
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

  String lastFailure() {
    return lastFailure;
  }

  /** Lets an acquisition through as a probe; returns null if it must not be sent. */
  @Nullable Probe probeOrNull() {
    neededNanos = System.nanoTime();
    if (breaker.tryAcquirePermission()) {
      outOfProbesSince = NEVER;
      return new Probe(this, System.nanoTime(), answers.get());
    }
    if (breaker.getState() == State.HALF_OPEN) {
      waitForProbes();
    }
    return null;
  }

  /** Returns whether the breaker is not closed, and no acquisition has needed the node for long. */
  boolean isAbandoned() {
    return !isClosed() && System.nanoTime() - neededNanos > ABANDONED * patienceNanos;
  }

  /** Notes that the node is not asked for any more; ends its outage in the log. */
  void forgotten() {
    LOG.log(logged ? Level.INFO : Level.DEBUG, "the store" + at() + " is not needed any more");
  }

  /** Opens the breaker again if the probes have been in use for too long. */
  private void waitForProbes() {
    long now = System.nanoTime();
    long since = outOfProbesSince;
    if (since == NEVER) {
      outOfProbesSince = now;
    } else if (now - since > patienceNanos) {
      breaker.transitionToOpenState();
    }
  }

  /**
   * An acquisition that was let through.
   *
   * @param breaker the breaker that let it through
   * @param start when
   * @param answersBefore how many calls the node had answered then
   */
  record Probe(NodeCircuitBreaker breaker, long start, long answersBefore) {
    /** Notes that the acquisition was not sent. */
    void release() {
      breaker.breaker.releasePermission();
    }

    /**
     * Counts the probe, unless it succeeded without a call to the node, from what the store
     * remembers: that says nothing about the node.
     *
     * @param blame what the node is to blame for; null if it succeeded
     */
    void ended(@Nullable Throwable blame) {
      breaker.outOfProbesSince = NEVER;
      long nanos = System.nanoTime() - start;
      if (blame != null) {
        breaker.breaker.onError(nanos, TimeUnit.NANOSECONDS, blame);
      } else if (breaker.answers.get() != answersBefore) {
        breaker.breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
      } else {
        release();
      }
    }
  }

  void callAnswered(long nanos) {
    answers.incrementAndGet();
    inARow.set(0);
    if (isClosed()) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    }
  }

  void callFailed(long nanos, StoreException failure) {
    lastFailure = String.valueOf(failure.getMessage());
    if (isClosed()) {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, failure);
      if (inARow.incrementAndGet() >= failuresInARow && isClosed()) {
        breaker.transitionToOpenState();
      }
    }
  }

  /** Lets probes through at once instead of waiting any longer. */
  void tryNow() {
    if (breaker.getState() != State.OPEN) {
      return;
    }
    try {
      breaker.transitionToHalfOpenState();
    } catch (IllegalStateTransitionException e) {
      // Another thread's probes have closed it meanwhile.
      LOG.log(Level.TRACE, "nothing to try", e);
    }
  }
}
