package dev.redline.server.data;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one event loop whose bodies are being read, oldest first, and how long each may
 * take. All have the same time, so the oldest is the first to be late: a linked list through the
 * requests themselves finds it without a timer or an allocation per request. Used by one thread.
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

  /** Returns how often to look for late bodies, so that none is late for long. */
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

  /** Removes a request; one that is not in the list is left alone. */
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

  /** Answers all requests whose body is late. */
  void expire(long nowNanos) {
    while (oldest != null && nowNanos - oldest.startNanos() >= nanos) {
      Exchange late = oldest;
      remove(late);
      late.problem(
          new HttpProblem(408, "the body did not arrive within " + timeout().toMillis() + " ms"));
    }
  }
}
