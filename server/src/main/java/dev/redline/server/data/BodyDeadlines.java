package dev.redline.server.data;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of the request bodies that one event loop is reading. All requests have the same
 * timeout, so they expire in order of arrival: an intrusive linked list, oldest first, needs
 * neither a timer nor an allocation per request. Used by one thread.
 */
final class BodyDeadlines {
  private final long nanos;
  private @Nullable Exchange oldest;
  private @Nullable Exchange newest;

  BodyDeadlines(Duration timeout) {
    this.nanos = timeout.toNanos();
  }

  Duration timeout() {
    return Duration.ofNanos(nanos);
  }

  /** Returns how often {@link #expire} should be called. */
  Duration interval() {
    return Duration.ofNanos(nanos / 20);
  }

  void add(Exchange exchange) {
    exchange.older = newest;
    if (newest == null) {
      oldest = exchange;
    } else {
      newest.newer = exchange;
    }
    newest = exchange;
  }

  /** Removes a request; does nothing if it is not in the list. */
  void remove(Exchange exchange) {
    Exchange before = exchange.older;
    Exchange after = exchange.newer;
    if (before == null && oldest != exchange) {
      return;
    }
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
  }

  /** Responds with 408 to all requests whose body is late. */
  void expire(long nowNanos) {
    while (oldest != null && nowNanos - oldest.startNanos() >= nanos) {
      Exchange late = oldest;
      remove(late);
      late.problem(
          new HttpProblem(408, "the body did not arrive within " + timeout().toMillis() + " ms"));
    }
  }
}
