package dev.redline.core.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BoundedHttpClientTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final BoundedHttpClient client = new BoundedHttpClient(Duration.ofSeconds(5), 1000);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private HttpRequest request(HttpHandler handler) {
    server.createContext("/", handler);
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"))
        .build();
  }

  @Test
  void returnsWholeResponse() throws Exception {
    BoundedHttpClient.Response response =
        client.send(
            request(
                exchange -> {
                  exchange.getResponseHeaders().add("X-Index", "7");
                  exchange.sendResponseHeaders(418, 1000);
                  exchange
                      .getResponseBody()
                      .write("x".repeat(1000).getBytes(StandardCharsets.UTF_8));
                  exchange.close();
                }),
            SOON);
    assertThat(response.status()).isEqualTo(418);
    assertThat(response.headers().firstValue("X-Index")).hasValue("7");
    assertThat(response.body()).hasSize(1000);
  }

  @Test
  void endsABodyThatStalls() {
    CountDownLatch done = new CountDownLatch(1);
    HttpRequest request =
        request(
            exchange -> {
              exchange.sendResponseHeaders(200, 100);
              exchange.getResponseBody().write('x');
              exchange.getResponseBody().flush();
              try {
                done.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    assertThatThrownBy(() -> client.send(request, Duration.ofMillis(200)))
        .isInstanceOf(IOException.class)
        .hasMessage("no response in time");
    done.countDown();
  }

  @Test
  void rejectsLargeBodyOfAnyLength() {
    HttpRequest request =
        request(
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              byte[] block = new byte[8192];
              try {
                for (int i = 0; i < 100_000; i++) {
                  exchange.getResponseBody().write(block);
                }
              } finally {
                exchange.close();
              }
            });
    assertThatThrownBy(() -> client.send(request, SOON))
        .isInstanceOf(IOException.class)
        .hasMessage("the response is larger than 1000 bytes");
  }

  @Test
  void reportsRefusedConnection() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    assertThatThrownBy(() -> client.send(request, SOON))
        .isInstanceOf(IOException.class)
        .hasMessage("connection refused");
  }

  @Test
  void endsWhenInterrupted() {
    CountDownLatch done = new CountDownLatch(1);
    HttpRequest request =
        request(
            exchange -> {
              try {
                done.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> client.send(request, SOON)).isInstanceOf(InterruptedException.class);
    done.countDown();
  }
}
