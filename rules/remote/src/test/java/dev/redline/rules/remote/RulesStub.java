package dev.redline.rules.remote;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** {@code GET /v1/rules} as the service has it, and other responses that a test wants. */
final class RulesStub implements AutoCloseable {
  /** One response. */
  interface Responder {
    void respond(HttpExchange exchange) throws IOException;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Integer> statuses = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private int port;
  private volatile Responder responder = this::noRules;

  RulesStub() throws IOException {
    start();
  }

  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    port = server.getAddress().getPort();
    server.setExecutor(threads);
    server.createContext(
        "/v1/rules",
        exchange -> {
          responder.respond(exchange);
          statuses.add(exchange.getResponseCode());
          exchange.close();
        });
    server.start();
  }

  void stop() {
    server.stop(0);
  }

  String uri() {
    return "http://127.0.0.1:" + port;
  }

  /** Returns the statuses of all responses so far. */
  List<Integer> statuses() {
    return List.copyOf(statuses);
  }

  void responder(Responder value) {
    responder = value;
  }

  private void noRules(HttpExchange exchange) throws IOException {
    send(
        exchange,
        503,
        "{\"title\":\"Service Unavailable\",\"detail\":\"no rules were loaded yet\"}");
  }

  void document(String text) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    String tag = "\"" + Integer.toHexString(text.hashCode()) + "-" + content.length + "\"";
    responder =
        exchange -> {
          exchange.getResponseHeaders().add("ETag", tag);
          if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
            exchange.sendResponseHeaders(304, -1);
          } else {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
          }
        };
  }

  static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
