package dev.redline.server.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.server.RawClient;
import dev.redline.server.data.connection.ConnectionLimits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that send requests and do not read the responses. */
@Timeout(60)
class SlowReadersTest {
  private final LocalStore store = new LocalStore();
  private DataPlane dataPlane;

  @BeforeEach
  void start() throws Exception {
    RateLimitEngine engine = RateLimitEngine.builder(store).book(RuleBook.of()).build();
    dataPlane =
        new TestDataPlane()
            .connections(
                new ConnectionLimits(
                    1000, Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(1)))
            .start(engine);
  }

  @AfterEach
  void stop() {
    dataPlane.stop();
    store.close();
  }

  private static String check() {
    String body = "{\"request\":{}}";
    return "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private static long usedMegabytes() {
    System.gc();
    return (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20;
  }

  @Test
  void stopsReadingFromClientThatDoesNotReadAndClosesTheConnection() throws Exception {
    long before = usedMegabytes();
    byte[] requests = check().repeat(1000).getBytes(StandardCharsets.US_ASCII);
    try (Socket client = new Socket("localhost", dataPlane.port())) {
      CompletableFuture<Integer> sending =
          CompletableFuture.supplyAsync(
              () -> {
                int sent = 0;
                try {
                  while (sent < 2000) {
                    client.getOutputStream().write(requests);
                    sent++;
                  }
                } catch (IOException e) {
                  return sent;
                }
                return sent;
              });
      // Two million responses would be several hundred megabytes.
      assertThat(sending.get(40, TimeUnit.SECONDS)).isLessThan(2000);
      assertThat(usedMegabytes() - before).as("megabytes of heap").isLessThan(100);
    }
    assertThat(statusOfNewConnection()).isEqualTo(200);
  }

  private int statusOfNewConnection() throws IOException {
    try (RawClient client = new RawClient(dataPlane.port())) {
      client.send(check());
      return client.response().status();
    }
  }

  @Test
  void answersAllRequestsOfClientThatReadsLate() throws Exception {
    int many = 20_000;
    try (RawClient client = new RawClient(dataPlane.port())) {
      CompletableFuture<Void> sending =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < many; i += 100) {
                    client.send(check().repeat(100));
                  }
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      await().pollDelay(Duration.ofMillis(500)).until(() -> true);
      for (int i = 0; i < many; i++) {
        assertThat(client.response().status()).isEqualTo(200);
      }
      sending.get(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void closesIdleConnections() throws Exception {
    try (RawClient silent = new RawClient(dataPlane.port());
        RawClient used = new RawClient(dataPlane.port())) {
      used.send(check());
      assertThat(used.response().status()).isEqualTo(200);
      assertThat(silent.rest()).isEmpty();
      assertThat(used.rest()).isEmpty();
    }
  }

  /** The frame header of HTTP/2. */
  private static void frame(
      ByteArrayOutputStream out, int type, int flags, int stream, byte[] payload) {
    out.write(payload.length >> 16);
    out.write(payload.length >> 8);
    out.write(payload.length);
    out.write(type);
    out.write(flags);
    out.writeBytes(ByteBuffer.allocate(4).putInt(stream).array());
    out.writeBytes(payload);
  }

  @Test
  void closesHttp2ConnectionWhoseFlowControlWindowStaysEmpty() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    // SETTINGS_INITIAL_WINDOW_SIZE = 0: no byte of a body may be sent.
    frame(out, 4, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
    // GET http /nowhere, as indexed and literal header fields without Huffman coding.
    byte[] path = "/nowhere".getBytes(StandardCharsets.US_ASCII);
    ByteArrayOutputStream fields = new ByteArrayOutputStream();
    fields.write(0x82);
    fields.write(0x86);
    fields.write(0x04);
    fields.write(path.length);
    fields.writeBytes(path);
    fields.write(0x41);
    fields.write(1);
    fields.write('x');
    frame(out, 1, 5, 1, fields.toByteArray());
    try (Socket client = new Socket("localhost", dataPlane.port())) {
      client.setSoTimeout(20_000);
      client.getOutputStream().write(out.toByteArray());
      byte[] received = client.getInputStream().readAllBytes();
      assertThat(new String(received, StandardCharsets.ISO_8859_1))
          .doesNotContain("there is nothing");
      assertThat(received).isNotEmpty();
    } catch (SocketTimeoutException e) {
      throw new AssertionError("the connection stayed open", e);
    }
    assertThat(statusOfNewConnection()).isEqualTo(200);
  }
}
