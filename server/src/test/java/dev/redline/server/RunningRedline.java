package dev.redline.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code redline serve} as a process of its own, on free ports. */
public final class RunningRedline implements AutoCloseable {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port = freePort();
  private final int managementPort = freePort();
  private final Path log;
  private final Process process;

  /** Starts it in a directory; returns when it is ready. */
  public RunningRedline(
      Path directory, String rules, List<String> jvmOptions, Map<String, String> variables)
      throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("rules.yaml"), rules);
    log = directory.resolve("log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "dev.redline.server.cli.Redline",
            "serve",
            "--port",
            Integer.toString(port),
            "--management-port",
            Integer.toString(managementPort),
            "--rules",
            file.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(variables);
    process = builder.start();
    awaitReady();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      try {
        if (get("/actuator/health/readiness").statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          close();
          throw new IOException("the server does not start: " + log(), e);
        }
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  public int port() {
    return port;
  }

  public Process process() {
    return process;
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  /** Reads from the management port. */
  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + managementPort + path))
            .timeout(Duration.ofSeconds(30))
            .build(),
        BodyHandlers.ofString());
  }

  /** Sends a request to the data plane. */
  public HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
  }

  public String log() throws IOException {
    return Files.readString(log, StandardCharsets.UTF_8);
  }

  /** Returns the memory of the process that is in use, in MiB; 0 if the system does not say. */
  public long residentMebibytes() throws IOException {
    Path status = Path.of("/proc/" + process.pid() + "/status");
    if (Files.notExists(status)) {
      return 0;
    }
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
