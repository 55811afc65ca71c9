package dev.redline.server;

import dev.redline.server.wiring.RedlineServer;
import dev.redline.server.wiring.ServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A service on free ports with rules of a test, and a client that talks to it. */
public final class TestServer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final RedlineServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer(RedlineServer server) {
    this.server = server;
  }

  /** Starts a service by a rule document. */
  public static TestServer start(String rules, Map<String, String> properties) throws IOException {
    Path file = Files.createTempFile("rules", ".yaml");
    file.toFile().deleteOnExit();
    Files.writeString(file, rules);
    Map<String, String> flags = new HashMap<>(onFreePorts());
    flags.put("rl.config.path", file.toString());
    flags.putAll(properties);
    return start(new ServerOptions(flags, Map.of(), Optional.empty()));
  }

  /** Starts a service. */
  public static TestServer start(ServerOptions options) {
    return new TestServer(RedlineServer.start(options));
  }

  /** Returns the properties of a service on free ports. */
  public static Map<String, String> onFreePorts() {
    return Map.of(
        "rl.server.port",
        "0",
        "rl.server.management-port",
        "0",
        "rl.server.drain-timeout",
        "3s",
        "rl.data-dir",
        temporaryDirectory());
  }

  private static String temporaryDirectory() {
    try {
      return Files.createTempDirectory("redline").resolve("data").toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RedlineServer server() {
    return server;
  }

  public URI uri(String path) {
    return URI.create("http://localhost:" + server.port() + path);
  }

  public URI management(String path) {
    return URI.create("http://localhost:" + server.managementPort() + path);
  }

  /** Posts JSON to the data plane. */
  public HttpResponse<String> post(String path, String body) {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  /** Posts JSON, and reads the JSON answered. */
  public JsonNode ask(String path, String body) {
    return json(post(path, body));
  }

  public HttpResponse<String> get(URI uri) {
    return send(HttpRequest.newBuilder(uri));
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Sends the head of a request as it is, and returns everything that is answered. */
  public String raw(String... lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(10_000);
      String head = String.join("\r\n", lines) + "\r\nHost: x\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  public static JsonNode json(HttpResponse<String> response) {
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    server.close();
  }
}
