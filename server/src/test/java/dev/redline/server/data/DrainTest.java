package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainTest {
  private static final String BODY = "{\"request\":{}}";
  private static final String HEAD =
      "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: " + BODY.length() + "\r\n\r\n";

  private final LocalStore store = new LocalStore();
  private DataPlane dataPlane;
  private int port;

  @BeforeEach
  void start() throws Exception {
    RateLimitEngine engine =
        RateLimitEngine.builder(store).fallback(new LocalStore()).book(RuleBook.of()).build();
    dataPlane = new TestDataPlane().drainTimeout(Duration.ofSeconds(30)).start(engine);
    port = dataPlane.port();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("localhost", port);
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Reads one answer off a connection that may have more. */
  private static String answer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    while (true) {
      int next = in.read();
      if (next < 0) {
        return read.toString(StandardCharsets.UTF_8);
      }
      read.write(next);
      if (next == '}') {
        return read.toString(StandardCharsets.UTF_8);
      }
    }
  }

  private boolean nobodyListens() {
    try (Socket socket = new Socket("localhost", port)) {
      return false;
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void answersRequestWhoseHeadWasReceivedAndClosesTheConnection() throws Exception {
    try (Socket socket = connect();
        Socket idle = connect()) {
      send(socket, HEAD + BODY);
      assertThat(answer(socket))
          .startsWith("HTTP/1.1 200")
          .doesNotContainIgnoringCase("connection:");
      send(socket, HEAD + "{\"requ");

      CompletableFuture<Void> stopping = CompletableFuture.runAsync(dataPlane::stop);
      await().atMost(Duration.ofSeconds(10)).until(this::nobodyListens);
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      assertThat(stopping).isNotDone();

      send(socket, "est\":{}}");
      assertThat(answer(socket))
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("connection: close");
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      stopping.get(10, TimeUnit.SECONDS);
      assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void answersRequestsUntilItClosesTheConnection() throws Exception {
    List<Socket> sockets = List.of(connect(), connect(), connect());
    for (Socket socket : sockets) {
      send(socket, HEAD + BODY);
      answer(socket);
    }
    CompletableFuture<Void> stopping = CompletableFuture.runAsync(dataPlane::stop);
    for (Socket socket : sockets) {
      String last = "";
      while (!last.toLowerCase(Locale.ROOT).contains("connection: close")) {
        send(socket, HEAD + BODY);
        last = answer(socket);
        assertThat(last).startsWith("HTTP/1.1 200");
      }
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
      socket.close();
    }
    stopping.get(10, TimeUnit.SECONDS);
  }

  @Test
  void answersAllPipelinedRequestsThatArrivedTogether() throws Exception {
    try (Socket socket = connect()) {
      send(socket, HEAD + "{\"requ");
      CompletableFuture<Void> stopping = CompletableFuture.runAsync(dataPlane::stop);
      await().atMost(Duration.ofSeconds(10)).until(this::nobodyListens);

      send(socket, "est\":{}}" + HEAD + BODY);

      String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answers).startsWith("HTTP/1.1 200");
      stopping.get(10, TimeUnit.SECONDS);
    }
  }
}
