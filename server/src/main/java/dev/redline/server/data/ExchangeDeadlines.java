package dev.redline.server.data;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of the requests of one event loop that wait for something: for their body, until
 * their response is sent, or for the end of a body that is not needed. All have the same timeout,
 * so they expire in order of arrival: an intrusive linked list, oldest first, needs neither a timer
 * nor an allocation per request. A request is in at most one list. Used by one thread.
 */
final class ExchangeDeadlines {
  private final long nanos;
  private final Consumer<Exchange> onLate;
  private @Nullable Exchange oldest;
  private @Nullable Exchange newest;

  ExchangeDeadlines(Duration timeout, Consumer<Exchange> onLate) {
    this.nanos = timeout.toNanos();
    this.onLate = onLate;
  }

  Duration timeout() {
    return Duration.ofNanos(nanos);
  }

  /** Returns how often {@link #expire} should be called. */
  Duration interval() {
    return Duration.ofNanos(nanos / 20);
  }

  /** Returns the request that has waited longest. */
  @Nullable Exchange oldest() {
    return oldest;
  }

  /** Adds a request that waits from now on. */
  void add(Exchange exchange, long nowNanos) {
    exchange.waitsSinceNanos = nowNanos;
    exchange.waitsIn = this;
    exchange.older = newest;
    if (newest == null) {
      oldest = exchange;
    } else {
      newest.newer = exchange;
    }
    newest = exchange;
  }

  /** Removes a request; does nothing if it is not in this list. */
  void remove(Exchange exchange) {
    if (exchange.waitsIn != this) {
      return;
    }
    Exchange before = exchange.older;
    Exchange after = exchange.newer;
    if (before == null) {
      oldest = after;
    } else {
      before.newer = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.older = before;
    }
    exchange.older = null;
    exchange.newer = null;
    exchange.waitsIn = null;
  }

  /** Ends the wait of all requests that are late. */
  void expire(long nowNanos) {
    while (oldest != null && nowNanos - oldest.waitsSinceNanos >= nanos) {
      Exchange late = oldest;
      remove(late);
      onLate.accept(late);
    }
  }
}
