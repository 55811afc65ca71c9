package dev.redline.server.gateways;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real proxy, configured by its recipe in docs/gateways.md; only ports and paths differ. */
final class Gateway implements AutoCloseable {
  private static final Path DOCUMENT = Path.of("../docs/gateways.md");

  /** The proxies that have a recipe. */
  enum Kind {
    NGINX,
    CADDY,
    HAPROXY
  }

  /** What the proxy does while Redline does not respond. */
  enum OnFailure {
    CLOSED,
    OPEN
  }

  private final Path directory = Files.createTempDirectory("gateway");
  private final int port = freePort();
  private final int inner = freePort();
  private final int redline;
  private final int application;
  private final OnFailure onFailure;
  private final Process process;

  /** Starts a proxy between clients and an application; it asks Redline at the given port. */
  Gateway(Kind kind, OnFailure onFailure, int redline, int application) throws IOException {
    this.redline = redline;
    this.application = application;
    this.onFailure = onFailure;
    this.process = start(kind);
    awaitListening();
  }

  private Process start(Kind kind) throws IOException {
    return switch (kind) {
      case NGINX -> nginx();
      case CADDY -> caddy();
      case HAPROXY -> haproxy();
    };
  }

  private Process nginx() throws IOException {
    String site = changed(recipe("nginx"), "listen 80;", "listen " + port + ";");
    if (onFailure == OnFailure.OPEN) {
      site = changedAfter(site, "location = /redline {\n", recipe("nginx fail-open location"));
      site = changedAfter(site, "\nserver {\n", recipe("nginx fail-open server"));
    }
    Files.writeString(directory.resolve("app.conf"), site);
    String main =
        """
        pid nginx.pid;
        events {}
        http {
          access_log off;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
          include app.conf;
        }
        """;
    Path configuration = Files.writeString(directory.resolve("nginx.conf"), main);
    return run(
        "nginx",
        "-p",
        directory.toString(),
        "-c",
        configuration.toString(),
        "-g",
        "daemon off; error_log stderr;");
  }

  private Process caddy() throws IOException {
    String recipe = recipe(onFailure == OnFailure.OPEN ? "caddy fail-open" : "caddy");
    String site = changed(recipe, "http://:80 {", "http://:" + port + " {");
    // The admin endpoint has a fixed port that another Caddy may hold.
    Path configuration =
        Files.writeString(directory.resolve("Caddyfile"), "{\n\tadmin off\n}\n" + site);
    return run("caddy", "run", "--adapter", "caddyfile", "--config", configuration.toString());
  }

  private Process haproxy() throws IOException {
    Path script = Files.writeString(directory.resolve("redline.lua"), recipe("haproxy lua"));
    String configuration =
        changed(recipe("haproxy cfg"), "/etc/haproxy/redline.lua", script.toString());
    if (onFailure == OnFailure.OPEN) {
      String closed = "    http-request lua.redline closed\n";
      configuration = changed(configuration, closed, recipe("haproxy fail-open"));
    }
    Path file =
        Files.writeString(
            directory.resolve("haproxy.cfg"), changed(configuration, "bind :80", "bind :" + port));
    return run("haproxy", "-db", "-f", file.toString());
  }

  /** Returns a block of the document, with the ports of Redline and the application replaced. */
  private String recipe(String name) throws IOException {
    Matcher block =
        Pattern.compile("<!-- recipe: " + name + " -->\n```\\w+\n(.*?)\n```", Pattern.DOTALL)
            .matcher(Files.readString(DOCUMENT));
    if (!block.find()) {
      throw new IllegalStateException(DOCUMENT + " has no recipe '" + name + "'");
    }
    return (block.group(1) + "\n")
        .replace("127.0.0.1:8080", "127.0.0.1:" + redline)
        .replace("127.0.0.1:8079", "127.0.0.1:" + inner)
        .replace("127.0.0.1:3000", "127.0.0.1:" + application);
  }

  private static String changedAfter(String text, String line, String added) {
    return changed(text, line, line + added);
  }

  private static String changed(String text, String from, String to) {
    if (!text.contains(from)) {
      throw new IllegalStateException("the recipe does not contain '" + from + "'");
    }
    return text.replace(from, to);
  }

  private Process run(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("HOME", directory.toString());
    builder.environment().put("XDG_CONFIG_HOME", directory.toString());
    builder.environment().put("XDG_DATA_HOME", directory.toString());
    File log = directory.resolve("log").toFile();
    return builder.redirectErrorStream(true).redirectOutput(log).start();
  }

  private void awaitListening() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          close();
          throw new IOException(
              "the proxy does not listen: " + Files.readString(directory.resolve("log")), e);
        }
        Thread.onSpinWait();
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  int port() {
    return port;
  }

  /** Ends the proxy and its workers. */
  @Override
  public void close() {
    List<ProcessHandle> workers = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    workers.forEach(ProcessHandle::destroyForcibly);
  }
}
