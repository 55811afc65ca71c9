package dev.redline.resilience;

import dev.redline.core.settings.Settings;
import dev.redline.core.store.StoreException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.core.IntervalFunction;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The breaker of one node. While closed it counts calls; several failures in a row open it without
 * waiting for a rate, since a window full of old successes would hide them. While half open it
 * counts the acquisitions it let through.
 */
final class NodeBreaker {
  private static final Logger LOG = System.getLogger(GuardedStore.class.getName());
  private static final double OPEN_JITTER = 0.125;

  private final String name;
  private final CircuitBreaker breaker;
  private final int failuresInARow;
  private final AtomicInteger inARow = new AtomicInteger();
  private volatile String lastFailure = "";
  private volatile boolean storeLogs;
  private volatile boolean logged = true;

  NodeBreaker(String name, Settings.CircuitBreaker settings, Duration slow) {
    this.name = name;
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
    if (to == State.CLOSED) {
      inARow.set(0);
    }
    // Probing that fails is no news: one line when the store is given up, one when it is back.
    if (from == State.CLOSED && to == State.OPEN) {
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

  /** Returns whether an acquisition may go on; while half open it is a probe then. */
  boolean permits() {
    return breaker.tryAcquirePermission();
  }

  /** Takes a permission back that was not used. */
  void release() {
    breaker.releasePermission();
  }

  /** Counts a probe, and what the node is to blame for, if anything. */
  void probed(long nanos, @Nullable Throwable blame) {
    if (blame == null) {
      breaker.onSuccess(nanos, TimeUnit.NANOSECONDS);
    } else {
      breaker.onError(nanos, TimeUnit.NANOSECONDS, blame);
    }
  }

  void callAnswered(long nanos) {
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
    if (breaker.getState() == State.OPEN) {
      breaker.transitionToHalfOpenState();
    }
  }
}
