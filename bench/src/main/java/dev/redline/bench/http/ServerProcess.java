package dev.redline.bench.http;

import dev.redline.bench.BenchUsageException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in its own process, and its processor time. */
final class ServerProcess implements AutoCloseable {
  private static final Duration START = Duration.ofMinutes(3);
  private static final long STOP_SECONDS = 30;
  private static final int MILLIS_BETWEEN_TRIES = 100;
  private static final byte[] CHECK =
      "{\"request\":{\"path\":\"/api/x\",\"clientIp\":\"10.1.1.1\"}}"
          .getBytes(StandardCharsets.UTF_8);

  private final Process process;
  private final int port;

  private ServerProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Starts a server in a directory; returns when it responds to checks on the port. */
  static ServerProcess start(List<String> command, int port, Path directory)
      throws IOException, InterruptedException {
    Path log = directory.resolve("server-" + port + ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    ServerProcess server = new ServerProcess(process, port);
    long deadline = System.nanoTime() + START.toNanos();
    while (!server.answers()) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        server.close();
        throw new BenchUsageException(
            String.join(" ", command) + " did not start:\n" + Files.readString(log));
      }
      TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN_TRIES);
    }
    return server;
  }

  private boolean answers() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/v1/check").toURL().openConnection();
      connection.setDoOutput(true);
      connection.setRequestProperty("Content-Type", "application/json");
      connection.getOutputStream().write(CHECK);
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }

  int port() {
    return port;
  }

  Process process() {
    return process;
  }

  Duration cpuTime() {
    return process
        .toHandle()
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new BenchUsageException("this system does not report processor times"));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
