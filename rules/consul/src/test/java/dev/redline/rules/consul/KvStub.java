package dev.redline.rules.consul;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The key/value protocol with answers that a real agent gives rarely, or never. */
final class KvStub implements AutoCloseable {
  /** One answer. */
  interface Answer {
    void send(HttpExchange exchange) throws IOException;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile Answer answer = exchange -> send(exchange, 404, "1", "");

  KvStub() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestURI().toString());
          answer.send(exchange);
          exchange.close();
        });
    server.start();
  }

  String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Returns path and query of all requests so far. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  void answer(Answer value) {
    answer = value;
  }

  static void send(HttpExchange exchange, int status, String index, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (!index.isEmpty()) {
      exchange.getResponseHeaders().add("X-Consul-Index", index);
    }
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  static String entry(String key, String value) {
    String encoded = Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8));
    return "[{\"LockIndex\":0,\"Key\":\"" + key + "\",\"Flags\":0,\"Value\":\"" + encoded + "\"}]";
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
