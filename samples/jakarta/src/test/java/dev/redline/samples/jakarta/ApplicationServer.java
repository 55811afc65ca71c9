package dev.redline.samples.jakarta;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * An application server as a process of its own, with the WAR of the sample at its root. The
 * profile "servers" copies the servers to target/servers.
 */
final class ApplicationServer implements AutoCloseable {
  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Path WAR = TARGET.resolve("redline-samples-jakarta-application.war");
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private final Process process;
  private final Path log;
  private final URI uri;

  private ApplicationServer(ProcessBuilder command, Path directory, int port) throws IOException {
    this.log = directory.resolve("server.log");
    this.uri = URI.create("http://127.0.0.1:" + port);
    this.process =
        command
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      awaitReady();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts Payara Micro; {@code properties} are those of the application. */
  static ApplicationServer payara(Map<String, String> properties) {
    try {
      int port = freePort();
      Path directory = Files.createTempDirectory(TARGET, "payara");
      List<String> command = new ArrayList<>();
      command.add(java());
      properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
      Path jar = TARGET.resolve("servers/payara-micro.jar");
      checkCopied(jar);
      command.addAll(List.of("-jar", jar.toString()));
      command.addAll(List.of("--deploy", WAR.toString(), "--contextroot", "/"));
      command.addAll(List.of("--port", Integer.toString(port), "--nocluster"));
      command.addAll(List.of("--rootDir", directory.resolve("root").toString()));
      return new ApplicationServer(new ProcessBuilder(command), directory, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts Open Liberty; {@code properties} are those of the application. */
  static ApplicationServer liberty(Map<String, String> properties) {
    try {
      int port = freePort();
      Path home = unpack(TARGET.resolve("servers/openliberty-runtime.zip"));
      Path directory = Files.createTempDirectory(TARGET, "liberty");
      Path server = Files.createDirectories(directory.resolve("servers/sample"));
      Files.write(
          server.resolve("bootstrap.properties"),
          List.of("http.port=" + port, "application.war=" + WAR));
      Files.write(
          server.resolve("jvm.options"),
          properties.entrySet().stream().map(p -> "-D" + p.getKey() + "=" + p.getValue()).toList());
      Files.copy(Path.of("src/test/liberty/server.xml"), server.resolve("server.xml"));
      ProcessBuilder command =
          new ProcessBuilder("sh", home.resolve("bin/server").toString(), "run", "sample");
      command.environment().put("WLP_USER_DIR", directory.toString());
      command.environment().put("JAVA_HOME", System.getProperty("java.home"));
      return new ApplicationServer(command, directory, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI uri() {
    return uri;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void checkCopied(Path file) {
    if (!Files.exists(file)) {
      throw new IllegalStateException("there is no " + file + ": run mvn verify -Pservers");
    }
  }

  private static Path unpack(Path zip) throws IOException {
    Path home = TARGET.resolve("servers/wlp");
    if (Files.isDirectory(home)) {
      return home;
    }
    checkCopied(zip);
    Path unpacked = Files.createTempDirectory(TARGET, "unpacked");
    try (ZipInputStream stream = new ZipInputStream(Files.newInputStream(zip))) {
      for (ZipEntry entry = stream.getNextEntry(); entry != null; entry = stream.getNextEntry()) {
        Path file = unpacked.resolve(entry.getName()).normalize();
        if (!file.startsWith(unpacked)) {
          throw new IOException("outside of the archive: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else {
          Files.createDirectories(file.getParent());
          Files.copy(stream, file);
        }
      }
    }
    return Files.move(unpacked.resolve("wlp"), home);
  }

  /** Waits until the application responds, which is later than the server. */
  private void awaitReady() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new IllegalStateException("the server ended:\n" + Files.readString(log));
              }
              return isReady();
            });
  }

  private boolean isReady() {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) uri.resolve("/free").toURL().openConnection();
      connection.setConnectTimeout(2_000);
      connection.setReadTimeout(20_000);
      return connection.getResponseCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    List<ProcessHandle> processes = new ArrayList<>(process.descendants().toList());
    processes.add(process.toHandle());
    processes.forEach(ProcessHandle::destroy);
    for (ProcessHandle each : processes) {
      each.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }
}
