package dev.redline.server.data;

import io.vertx.core.http.HttpConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** How many connections the data plane holds at once; further ones are closed. Thread-safe. */
final class ConnectionLimit {
  private static final Logger LOG = System.getLogger(ConnectionLimit.class.getName());
  private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final int most;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());

  ConnectionLimit(int most) {
    this.most = most;
  }

  /** Counts a connection as long as it is open, or closes it. */
  void accept(HttpConnection connection) {
    connection.closeHandler(closed -> open.decrementAndGet());
    if (open.incrementAndGet() > most) {
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
          Integer.toString(most));
    }
  }
}
