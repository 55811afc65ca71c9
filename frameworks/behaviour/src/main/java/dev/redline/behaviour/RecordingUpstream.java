package dev.redline.behaviour;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An HTTP server behind a gateway that counts its requests by path. The query chooses the response:
 * {@code ?status=429&X-RateLimit-Limit=5} sets status and header fields, and {@code ?failures=2}
 * responds with 503 to the first two requests of the path.
 */
public final class RecordingUpstream implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, AtomicInteger> requests = new ConcurrentHashMap<>();

  /** Starts the server on a free port of the loopback interface. */
  public RecordingUpstream() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::respond);
    server.setExecutor(threads);
    server.start();
  }

  /** Returns the port. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Returns how many requests of a path have arrived. */
  public int requests(String path) {
    return requests.getOrDefault(path, new AtomicInteger()).get();
  }

  private void respond(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    int number = requests.computeIfAbsent(path, any -> new AtomicInteger()).incrementAndGet();
    String query = exchange.getRequestURI().getQuery();
    int status = 200;
    for (String field : (query == null ? "" : query).split("&", -1)) {
      String name = field.replaceAll("=.*", "");
      String value = field.substring(field.indexOf('=') + 1);
      switch (name) {
        case "status" -> status = Integer.parseInt(value);
        case "failures" -> status = number <= Integer.parseInt(value) ? 503 : 200;
        case "" -> {}
        default -> exchange.getResponseHeaders().set(name, value);
      }
    }
    byte[] body = ("upstream " + path).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
