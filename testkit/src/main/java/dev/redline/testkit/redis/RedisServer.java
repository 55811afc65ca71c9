package dev.redline.testkit.redis;

import dev.redline.testkit.internal.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** One real Redis server process on loopback, with nothing persisted; for tests. */
public final class RedisServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(20);
  private static final int BUS = 10_000;
  private static final int MOST_PORTS = 5;

  private final RedisBinary binary;
  private final int port;
  private final Path folder;
  private final List<String> arguments;
  private ChildProcess process;

  private RedisServer(RedisBinary binary, int port, Path folder, List<String> arguments) {
    this.binary = binary;
    this.port = port;
    this.folder = folder;
    this.arguments = arguments;
    this.process = launch();
  }

  /** Starts a server on a free port; {@code arguments} as on redis-server's command line. */
  public static RedisServer start(RedisBinary binary, String... arguments) {
    return start(binary, RedisServer::freePort, arguments);
  }

  /** Starts a server on one of these ports; another process may take a port that was free. */
  static RedisServer start(RedisBinary binary, IntSupplier ports, String... arguments) {
    for (int tries = 1; ; tries++) {
      try {
        return start(binary, ports.getAsInt(), arguments);
      } catch (PortTakenException e) {
        if (tries == MOST_PORTS) {
          throw e;
        }
      }
    }
  }

  static RedisServer start(RedisBinary binary, int port, String... arguments) {
    try {
      Path folder = Files.createTempDirectory("redis");
      RedisServer server;
      try {
        server = new RedisServer(binary, port, folder, List.of(arguments));
      } catch (RuntimeException e) {
        ChildProcess.remove(folder);
        throw e;
      }
      try {
        server.awaitStarted();
        return server;
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a free port below 55000 whose port of the cluster bus, 10,000 above, is free too. */
  public static int freePort() {
    for (int tries = 0; tries < 100; tries++) {
      try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
        int port = socket.getLocalPort();
        if (port < 55_000 && isFree(port + BUS)) {
          return port;
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException("no free port below 55000");
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (BindException e) {
      return false;
    }
  }

  /** Another process has the port of a server, or that of its cluster bus. */
  private static final class PortTakenException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    PortTakenException(String message) {
      super(message);
    }
  }

  private ChildProcess launch() {
    List<String> command = new ArrayList<>();
    command.add(binary.installIn(folder).toString());
    boolean sentinel = arguments.contains("--sentinel");
    if (sentinel) {
      command.add(folder.resolve("sentinel.conf").toString());
    }
    command.addAll(
        List.of(
            "--port", Integer.toString(port), "--bind", "127.0.0.1", "--dir", folder.toString()));
    if (!sentinel) {
      command.addAll(
          List.of("--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0"));
    }
    command.addAll(arguments);
    try {
      if (sentinel && !Files.exists(folder.resolve("sentinel.conf"))) {
        Files.createFile(folder.resolve("sentinel.conf"));
      }
      return ChildProcess.start(folder, folder.resolve("log"), command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitStarted() {
    long deadline = System.nanoTime() + START.toNanos();
    while (System.nanoTime() < deadline) {
      if (!process.isAlive()) {
        String log = log();
        String message = "redis-server ended at once: " + log;
        throw log.contains("Address already in use")
            ? new PortTakenException(message)
            : new IllegalStateException(message);
      }
      try (RespClient client = new RespClient(port)) {
        client.send("PING");
        return;
      } catch (IOException e) {
        if (String.valueOf(e.getMessage()).contains("NOAUTH")) {
          return;
        }
        LockSupport.parkNanos(10_000_000);
      }
    }
    throw new IllegalStateException("redis-server did not answer within " + START + ": " + log());
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"));
    } catch (IOException e) {
      return "(no log: " + e.getMessage() + ")";
    }
  }

  /** Returns the port the server listens on. */
  public int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  /** Returns the server's working folder, for sockets and certificates. */
  public Path folder() {
    return folder;
  }

  /** Returns the server's URI. */
  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Sends a command and returns the reply: a String, a Long or a List. */
  public Object command(String... words) {
    try (RespClient client = new RespClient(port)) {
      return client.send(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills the server at once, as a crash would. */
  public void kill() {
    process.kill();
  }

  /** Starts the server again on the same port, empty. */
  public void restart() {
    kill();
    process = launch();
    awaitStarted();
  }

  /** Suspends the process; connections stay open, and the server does not respond. */
  public void pause() {
    process.signal("STOP");
  }

  /** Resumes a paused server. */
  public void resume() {
    process.signal("CONT");
  }

  /** Returns whether the process runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    kill();
    ChildProcess.remove(folder);
  }
}
