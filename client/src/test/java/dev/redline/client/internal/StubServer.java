package dev.redline.client.internal;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A server with responses that a Redline server gives rarely, or never. */
public final class StubServer implements AutoCloseable {
  /** One response. */
  public interface Responder {
    void respond(HttpExchange exchange, String body) throws IOException;
  }

  public static final String ALLOWED = "{\"allowed\":true,\"reason\":\"ALLOWED\"}";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpServer server;
  private final List<String> bodies = new CopyOnWriteArrayList<>();
  private volatile Responder responder;

  public StubServer(Responder responder) throws IOException {
    this.responder = responder;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          bodies.add(body);
          this.responder.respond(exchange, body);
          exchange.close();
        });
    server.start();
  }

  public String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Returns the bodies of all requests so far. */
  public List<String> bodies() {
    return List.copyOf(bodies);
  }

  public void responder(Responder value) {
    responder = value;
  }

  public static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Allows all checks of a batch, each of which is one ruleId. */
  public static void allow(HttpExchange exchange, String body) throws IOException {
    send(exchange, 200, decisions(checks(body)));
  }

  public static int checks(String body) {
    return body.split("\\{\"ruleId\"", -1).length - 1;
  }

  public static String decisions(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> ALLOWED)
        .collect(Collectors.joining(",", "{\"decisions\":[", "]}"));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
