package dev.redline.server.data.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.vertx.core.transport.Transport;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * All connections of the data plane: counts them, closes those beyond the limit, and ends them when
 * the service stops. Thread-safe.
 */
public final class Connections {
  private static final Logger LOG = System.getLogger(Connections.class.getName());
  private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ConnectionLimits limits;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong nextLogNanos = new AtomicLong(System.nanoTime());
  private final Map<EventLoop, ConnectionWatch> watches = new ConcurrentHashMap<>();
  private final Map<Channel, Acceptor> listening = new ConcurrentHashMap<>();
  private volatile boolean draining;
  private volatile boolean stopped;

  /** Creates the connections of one server. */
  public Connections(ConnectionLimits limits) {
    this.limits = limits;
  }

  /** Returns the transport that accepts these connections: native where there is one. */
  public Transport transport() {
    Transport best = Transport.nativeTransport();
    Transport available = best != null && best.available() ? best : Transport.NIO;
    io.vertx.core.spi.transport.Transport guarded =
        new GuardedTransport(available.implementation(), this);
    return new Transport() {
      @Override
      public String name() {
        return available.name();
      }

      @Override
      public boolean available() {
        return true;
      }

      @Override
      public @Nullable Throwable unavailabilityCause() {
        return null;
      }

      @Override
      public io.vertx.core.spi.transport.Transport implementation() {
        return guarded;
      }
    };
  }

  /** Returns how many connections are open. */
  public int count() {
    return open.get();
  }

  /** Announces that the service stops: clients are asked to use other connections. */
  public void beginDrain() {
    draining = true;
    watches.forEach((loop, watch) -> loop.execute(watch::announceDrain));
  }

  /** Closes the listening socket, and from now on every connection that has no request left. */
  public void stopAccepting() {
    stopped = true;
    listening.entrySet().stream()
        .map(socket -> socket.getValue().stop(socket.getKey()))
        .toList()
        .forEach(ChannelFuture::syncUninterruptibly);
    watches.forEach((loop, watch) -> loop.execute(watch::closeUnused));
  }

  boolean isDraining() {
    return draining;
  }

  void listensOn(Channel channel, Acceptor acceptor) {
    listening.put(channel, acceptor);
  }

  ConnectionLimits limits() {
    return limits;
  }

  /** Counts a new connection; returns false if there are too many. */
  boolean open() {
    if (open.incrementAndGet() <= limits.maxConnections()) {
      return true;
    }
    open.decrementAndGet();
    warn();
    return false;
  }

  /** Counts a connection no longer. */
  void closed() {
    open.decrementAndGet();
  }

  /** Returns the watch over the connections of an event loop. */
  ConnectionWatch watch(EventLoop loop) {
    return watches.computeIfAbsent(loop, this::start);
  }

  private ConnectionWatch start(EventLoop loop) {
    ConnectionWatch watch = ConnectionWatch.start(loop, limits);
    if (stopped) {
      // The first connection of this event loop was accepted just before the port was closed.
      watch.closeUnused();
    }
    return watch;
  }

  private void warn() {
    long now = System.nanoTime();
    long next = nextLogNanos.get();
    if (now - next >= 0 && nextLogNanos.compareAndSet(next, now + LOG_PAUSE_NANOS)) {
      LOG.log(
          Level.WARNING,
          "{0} connections are open, further ones are closed; see rl.server.max-connections",
          Integer.toString(limits.maxConnections()));
    }
  }
}
