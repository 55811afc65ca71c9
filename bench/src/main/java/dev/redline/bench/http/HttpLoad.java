package dev.redline.bench.http;

import dev.redline.bench.ProcessorTimes;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A load generator: some connections to a server, all on one thread. A load is either a closed
 * loop, which finds out how much the server can do, or an open loop.
 *
 * <p>In an open loop requests start at a steady rate, whether earlier ones were answered or not,
 * and the latency counts from the intended start, so that a server that falls behind does not hide
 * its lag (coordinated omission).
 */
final class HttpLoad implements AutoCloseable {
  private static final long TICK_MICROS = 200;
  private static final int MAX_OUTSTANDING = 400_000;
  private static final Duration LAST_RESPONSES = Duration.ofSeconds(20);
  private static final int DIGITS = 3;

  private final Checks checks;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop thread;
  private final List<Connection> connections = new ArrayList<>();

  // Used by the thread alone.
  private Histogram latencies = new Histogram(DIGITS);
  private QuietSeconds quiet = new QuietSeconds(System.nanoTime(), ProcessorTimes::now);
  private int nextRequest;
  private int nextConnection;
  private long sent;
  private long answered;
  private long allowed;
  private long lost;
  private long end;
  private boolean closedLoop;
  private boolean sending;
  private CompletableFuture<Void> done = new CompletableFuture<>();

  /** Connects to a port of this machine. */
  HttpLoad(int port, int connections, Checks checks) throws InterruptedException {
    this.checks = checks;
    boolean epoll = Epoll.isAvailable();
    this.group =
        new MultiThreadIoEventLoopGroup(
            1, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    this.thread = group.next();
    for (int i = 0; i < connections; i++) {
      Connection connection = new Connection();
      connection.connected =
          new Bootstrap()
              .group(group)
              .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(new ResponseReader(connection))
              .connect("127.0.0.1", port)
              .sync()
              .channel();
      this.connections.add(connection);
    }
  }

  /** Sends requests at a rate; returns when all were answered. */
  LoadResult open(double requestsPerSecond, Duration time) throws InterruptedException {
    return run(time, start -> tick(start, 1e9 / requestsPerSecond, start));
  }

  /** Keeps a number of requests unanswered on each connection, for a time. */
  LoadResult closed(int outstanding, Duration time) throws InterruptedException {
    return run(
        time,
        start -> {
          closedLoop = true;
          sending = false;
          for (Connection connection : connections) {
            for (int i = 0; i < outstanding; i++) {
              connection.send(System.nanoTime());
            }
            connection.channel().flush();
          }
        });
  }

  private interface Start {
    void at(long nanos);
  }

  private LoadResult run(Duration time, Start load) throws InterruptedException {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    long start = System.nanoTime();
    thread.execute(
        () -> {
          latencies = new Histogram(DIGITS);
          quiet = new QuietSeconds(start, ProcessorTimes::now);
          sent = 0;
          answered = 0;
          allowed = 0;
          lost = 0;
          closedLoop = false;
          sending = true;
          end = start + time.toNanos();
          done = ended;
          load.at(start);
        });
    try {
      ended.get(time.plus(LAST_RESPONSES).toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          sent - answered + " of " + sent + " requests were not answered", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the load failed", e.getCause());
    }
    long nanos = Math.max(1, Math.max(end, System.nanoTime()) - start);
    return new LoadResult(sent, allowed, answered - allowed, lost, nanos, latencies, quiet);
  }

  /** Sends what is due, and comes back. */
  private void tick(long start, double gap, long next) {
    long now = System.nanoTime();
    long intended = next;
    while (intended - now <= 0 && intended - end < 0) {
      if (sent - answered - lost >= MAX_OUTSTANDING) {
        done.completeExceptionally(
            new IllegalStateException("the server is overloaded: too many requests wait"));
        return;
      }
      connections.get(nextConnection).send(intended);
      nextConnection = (nextConnection + 1) % connections.size();
      intended = start + (long) (sent * gap);
    }
    connections.forEach(connection -> connection.channel().flush());
    if (intended - end < 0) {
      long resume = intended;
      var unused =
          thread.schedule(() -> tick(start, gap, resume), TICK_MICROS, TimeUnit.MICROSECONDS);
    } else {
      sending = false;
      finishIfAllAnswered();
    }
  }

  private void finishIfAllAnswered() {
    if (!sending && answered + lost == sent) {
      done.complete(null);
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** A connection and the intended starts of its unanswered requests. */
  private final class Connection implements ResponseReader.Listener {
    private @Nullable Channel connected;
    private long[] starts = new long[64];
    private int first;
    private int count;
    private boolean closing;

    Channel channel() {
      return Objects.requireNonNull(connected);
    }

    void send(long intended) {
      Channel channel = channel();
      sent++;
      if (closing || !channel.isActive()) {
        lost++;
        return;
      }
      if (count == starts.length) {
        long[] larger = new long[2 * count];
        for (int i = 0; i < count; i++) {
          larger[i] = starts[(first + i) % count];
        }
        starts = larger;
        first = 0;
      }
      starts[(first + count++) % starts.length] = intended;
      var unused =
          channel.write(
              Unpooled.wrappedBuffer(checks.requests().get(nextRequest)), channel.voidPromise());
      nextRequest = (nextRequest + 1) % checks.requests().size();
    }

    @Override
    public void responded(int status, boolean last) {
      long now = System.nanoTime();
      long latency = Math.max(0, now - starts[first]);
      latencies.recordValue(latency);
      quiet.record(now, latency);
      first = (first + 1) % starts.length;
      count--;
      answered++;
      allowed += status == 200 ? 1 : 0;
      closing |= last;
      if (closedLoop && !closing && now - end < 0) {
        send(now);
        channel().flush();
      } else {
        finishIfAllAnswered();
      }
    }

    @Override
    public void closed() {
      lost += count;
      count = 0;
      closing = true;
      finishIfAllAnswered();
    }
  }
}
