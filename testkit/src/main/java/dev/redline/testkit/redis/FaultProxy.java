package dev.redline.testkit.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between a client and a Redis server that injects network faults.
 *
 * <p>It parses the Redis protocol, so that faults hit whole commands and replies. Cut and replayed
 * connections affect script calls only, so that clients can always connect. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private static final Set<String> SCRIPT_CALLS = Set.of("EVAL", "EVALSHA");
  private static final long TICK_NANOS = 200_000;

  private enum ReplyAction {
    FORWARD,
    DISCARD,
    CUT
  }

  private record Expected(ReplyAction action, String command, long sentNanos) {}

  private record Replacement(Set<String> commands, Supplier<String> reply) {}

  private final int serverPort;
  private final ServerSocket listener;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger replays = new AtomicInteger();
  private final AtomicInteger struck = new AtomicInteger();
  private final AtomicInteger replaced = new AtomicInteger();
  private volatile long delayNanos;
  private volatile boolean stalled;
  private volatile boolean closed;
  private volatile @Nullable Replacement replacement;

  private FaultProxy(int serverPort) {
    this.serverPort = serverPort;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a proxy to a server; it forwards everything until a fault is requested. */
  public static FaultProxy to(RedisServer server) {
    FaultProxy proxy = new FaultProxy(server.port());
    start("accept", proxy::accept);
    return proxy;
  }

  private static void start(String what, Runnable task) {
    Thread thread = new Thread(task, "fault-proxy-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the port to connect to instead of the server's. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Returns the URI to connect to instead of the server's. */
  public String uri() {
    return "redis://127.0.0.1:" + port();
  }

  /** Lets the server run the next script calls, and closes the connection instead of replying. */
  public void cutBeforeReply(int calls) {
    cuts.addAndGet(calls);
  }

  /**
   * Sends the next script calls twice and forwards only the second reply, like a client that
   * repeats commands without a reply after it has reconnected.
   */
  public void replay(int calls) {
    replays.addAndGet(calls);
  }

  /** Returns how many script calls were cut or replayed so far. */
  public int struck() {
    return struck.get();
  }

  /** Delays each reply until this long after its command. */
  public void delayReplies(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /** Forwards commands but no replies, until {@link #resume}. */
  public void stall() {
    stalled = true;
  }

  /** Ends a stall. */
  public void resume() {
    stalled = false;
  }

  /** Replaces the replies to script calls, in the Redis protocol; null ends that. */
  public void replyInstead(@Nullable String reply) {
    replacement = reply == null ? null : new Replacement(SCRIPT_CALLS, () -> reply);
  }

  /** Replaces the replies to a command, such as {@code GET}, in place of those to script calls. */
  public void replyInsteadTo(String command, Supplier<String> reply) {
    replacement = new Replacement(Set.of(command), reply);
  }

  /** Returns how many replies were replaced so far. */
  public int replaced() {
    return replaced.get();
  }

  /** Resets all connections, including commands in flight. */
  public void resetConnections() {
    links.forEach(Link::reset);
  }

  private void accept() {
    while (!closed) {
      try {
        Link link = new Link(listener.accept());
        links.add(link);
        start("up", link::up);
        start("down", link::down);
      } catch (IOException e) {
        // The listener was closed, or the server cannot be reached: clients see a closed port.
        if (closed) {
          return;
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    links.forEach(Link::end);
  }

  /** A connection of a client, and the matching connection to the server. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private final BlockingQueue<Expected> expected = new LinkedBlockingQueue<>();

    Link(Socket client) throws IOException {
      this.client = client;
      try {
        this.server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      } catch (IOException e) {
        client.close();
        throw e;
      }
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void up() {
      try {
        RespFrames commands = new RespFrames(new BufferedInputStream(client.getInputStream()));
        OutputStream out = new BufferedOutputStream(server.getOutputStream());
        for (byte[] command = commands.next(); command != null; command = commands.next()) {
          String name = RespFrames.name(command).toUpperCase(Locale.ROOT);
          boolean script = SCRIPT_CALLS.contains(name);
          if (script && shouldInject(replays)) {
            expect(ReplyAction.DISCARD, name);
            out.write(command);
          }
          expect(script && shouldInject(cuts) ? ReplyAction.CUT : ReplyAction.FORWARD, name);
          out.write(command);
          out.flush();
        }
      } catch (IOException e) {
        // One of the two hung up; so does the other.
      } finally {
        end();
      }
    }

    private boolean shouldInject(AtomicInteger left) {
      boolean shouldInject = left.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
      if (shouldInject) {
        struck.incrementAndGet();
      }
      return shouldInject;
    }

    private void expect(ReplyAction action, String command) {
      expected.add(new Expected(action, command, System.nanoTime()));
    }

    void down() {
      try {
        RespFrames replies = new RespFrames(new BufferedInputStream(server.getInputStream()));
        OutputStream out = client.getOutputStream();
        for (byte[] reply = replies.next(); reply != null; reply = replies.next()) {
          Expected next = reply[0] == '>' ? null : expected.take();
          if (next != null && next.action == ReplyAction.CUT) {
            return;
          }
          hold(next == null ? System.nanoTime() : next.sentNanos);
          if (next == null || next.action == ReplyAction.FORWARD) {
            Replacement other = replacement;
            if (next != null && other != null && other.commands.contains(next.command)) {
              out.write(other.reply.get().getBytes(StandardCharsets.UTF_8));
              replaced.incrementAndGet();
            } else {
              out.write(reply);
            }
          }
        }
      } catch (IOException e) {
        // One of the two hung up; so does the other.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        end();
      }
    }

    private void hold(long sentNanos) {
      while (!closed && (stalled || System.nanoTime() - sentNanos < delayNanos)) {
        LockSupport.parkNanos(TICK_NANOS);
      }
    }

    void reset() {
      try {
        client.setSoLinger(true, 0);
        server.setSoLinger(true, 0);
      } catch (IOException e) {
        // It is closed already.
      }
      end();
    }

    void end() {
      links.remove(this);
      try {
        client.close();
        server.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
