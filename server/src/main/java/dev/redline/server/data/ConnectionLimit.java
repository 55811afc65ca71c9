package dev.redline.server.data;

import io.vertx.core.http.HttpConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Limits the open connections of the data plane; closes further ones. Thread-safe. */
final class ConnectionLimit {
  private static final Logger LOG = System.getLogger(ConnectionLimit.class.getName());
  private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int maxConnections;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

  ConnectionLimit(int maxConnections) {
    this.maxConnections = maxConnections;
  }

  /** Counts a connection until it is closed; closes it at once if there are too many. */
  void accept(HttpConnection connection) {
    connection.closeHandler(closed -> open.decrementAndGet());
    if (open.incrementAndGet() > maxConnections) {
      warn();
      connection.close();
    }
  }

  private void warn() {
    long now = System.nanoTime();
    long next = nextLogNanos.get();
    if (now - next >= 0 && nextLogNanos.compareAndSet(next, now + LOG_PAUSE_NANOS)) {
      LOG.log(
          Level.WARNING,
          "{0} connections are open, further ones are closed; see rl.server.max-connections",
          Integer.toString(maxConnections));
    }
  }
}
