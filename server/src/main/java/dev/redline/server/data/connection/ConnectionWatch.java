package dev.redline.server.data.connection;

import io.netty.channel.EventLoop;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Visits the connections of one event loop at intervals, and has each one check its deadlines. One
 * task for all connections costs less than timers for each. Used by that event loop only.
 */
final class ConnectionWatch {
  private static final Logger LOG = System.getLogger(ConnectionWatch.class.getName());

  /** How often unused connections are looked for when the service stops. */
  private static final long DRAIN_INTERVAL_MILLIS = 10;

  private static final long MAX_INTERVAL_MILLIS = 1000;

  private final EventLoop loop;
  private final Set<ConnectionGuard> guards = new HashSet<>();

  private ConnectionWatch(EventLoop loop) {
    this.loop = loop;
  }

  /** Starts the visits; they end with the event loop. */
  static ConnectionWatch start(EventLoop loop, ConnectionLimits limits) {
    ConnectionWatch watch = new ConnectionWatch(loop);
    Duration shortest = limits.headTimeout();
    if (limits.writeTimeout().compareTo(shortest) < 0) {
      shortest = limits.writeTimeout();
    }
    if (limits.idleTimeout().compareTo(shortest) < 0) {
      shortest = limits.idleTimeout();
    }
    long millis = Math.max(1, Math.min(MAX_INTERVAL_MILLIS, shortest.toMillis() / 10));
    watch.every(millis, guard -> guard.checkDeadlines(System.nanoTime()));
    return watch;
  }

  private void every(long millis, Consumer<ConnectionGuard> visit) {
    var unused =
        loop.scheduleWithFixedDelay(() -> forEach(visit), millis, millis, TimeUnit.MILLISECONDS);
  }

  void add(ConnectionGuard guard) {
    guards.add(guard);
  }

  void remove(ConnectionGuard guard) {
    guards.remove(guard);
  }

  void announceDrain() {
    forEach(ConnectionGuard::announceDrain);
  }

  /** Closes unused connections now and, until the event loop ends, others when their time comes. */
  void closeUnused() {
    every(DRAIN_INTERVAL_MILLIS, guard -> guard.closeIfUnused(System.nanoTime()));
  }

  /** Visits a copy: a visit may close the connection, which removes it. */
  private void forEach(Consumer<ConnectionGuard> visit) {
    for (ConnectionGuard guard : guards.toArray(ConnectionGuard[]::new)) {
      try {
        visit.accept(guard);
      } catch (RuntimeException e) {
        // An exception would end the visits.
        LOG.log(Level.ERROR, "a connection could not be checked", e);
      }
    }
  }
}
