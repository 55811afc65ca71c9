package dev.redline.rules.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Responses that a real agent sends rarely, or never. */
class ConsulProtocolTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private KvStub stub;
  private ConsulConfigProvider source;

  @BeforeEach
  void start() throws IOException {
    stub = new KvStub();
    source =
        new ConsulConfigProvider(
            new ConsulSettings(stub.uri(), "redline/rules", Optional.empty(), false));
  }

  @AfterEach
  void stop() {
    stub.close();
  }

  private void answer(int status, String index, String body) {
    stub.answer(exchange -> KvStub.send(exchange, status, index, body));
  }

  @Test
  void forgetsAnIndexThatGoesBack() throws Exception {
    answer(200, "500", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    source.awaitChange(LONG);
    answer(200, "7", KvStub.entry("redline/rules", "rules: []"));
    source.awaitChange(LONG);
    int before = stub.requests().size();
    source.awaitChange(LONG);
    assertThat(stub.requests()).as("there is no index to wait for").hasSize(before);

    source.load();
    source.awaitChange(LONG);
    assertThat(stub.requests())
        .containsExactly(
            "/v1/kv/redline/rules",
            "/v1/kv/redline/rules?index=500&wait=10000ms",
            "/v1/kv/redline/rules?index=500&wait=10000ms",
            "/v1/kv/redline/rules",
            "/v1/kv/redline/rules?index=7&wait=10000ms");
  }

  @Test
  void doesNotWaitOnAMissingOrMalformedIndex() throws Exception {
    for (String index : new String[] {"", "0", "many", "-", "-5", "18446744073709551615"}) {
      answer(200, index, KvStub.entry("redline/rules", "rules: []"));
      source.load();
      int before = stub.requests().size();
      source.awaitChange(LONG);
      assertThat(stub.requests()).hasSize(before);
    }
  }

  @Test
  void asksForAWaitThatConsulDoesNotTakeForItsDefault() throws Exception {
    answer(200, "5", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    source.awaitChange(Duration.ofNanos(1));
    assertThat(stub.requests()).last().isEqualTo("/v1/kv/redline/rules?index=5&wait=1ms");
  }

  @Test
  void waitEndsIfTheAgentNeverAnswers() throws Exception {
    answer(200, "5", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    CountDownLatch ended = new CountDownLatch(1);
    stub.answer(
        exchange -> {
          try {
            ended.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertThatThrownBy(() -> source.awaitChange(Duration.ofMillis(100)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not answer: no response in time");
    ended.countDown();
  }

  @Test
  void boundsABodyThatNeverEnds() {
    stub.answer(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] block = new byte[1 << 16];
          while (true) {
            exchange.getResponseBody().write(block);
          }
        });
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not answer: ");
  }

  @Test
  void emptyListHoldsNoDocument() throws Exception {
    answer(200, "5", "[]");
    assertThat(source.load()).isEmpty();
    answer(200, "5", "[{\"Key\":\"redline/rules/\",\"Value\":null}]");
    assertThat(source.load()).isEmpty();
  }

  @Test
  void rejectsAFolderOfWhichTheTokenMayNotReadAllKeys() throws Exception {
    ConsulConfigProvider folder =
        new ConsulConfigProvider(
            new ConsulSettings(stub.uri(), "redline/rules", Optional.empty(), true));
    String[] filtered = {"true"};
    stub.answer(
        exchange -> {
          exchange.getResponseHeaders().add("X-Consul-Results-Filtered-By-ACLs", filtered[0]);
          KvStub.send(exchange, 200, "5", KvStub.entry("redline/rules/a", "rules: []"));
        });
    assertThatThrownBy(folder::load)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("Consul redline/rules: access denied to some keys");
    filtered[0] = "false";
    assertThat(folder.load().orElseThrow().documents()).hasSize(1);
  }

  /** Sends one response, promises to keep the connection, and closes it. */
  @Test
  void survivesAProxyThatClosesKeptConnections() throws Exception {
    String body = KvStub.entry("redline/rules", "rules: []");
    String response =
        "HTTP/1.1 200 OK\r\nX-Consul-Index: 5\r\nConnection: keep-alive\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body;
    try (ServerSocket proxy = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread accepting =
          new Thread(
              () -> {
                while (!proxy.isClosed()) {
                  try (Socket connection = proxy.accept()) {
                    BufferedReader request =
                        new BufferedReader(
                            new InputStreamReader(
                                connection.getInputStream(), StandardCharsets.US_ASCII));
                    String line = request.readLine();
                    while (line != null && !line.isEmpty()) {
                      line = request.readLine();
                    }
                    connection.getOutputStream().write(response.getBytes(StandardCharsets.UTF_8));
                  } catch (IOException e) {
                    // The test has ended, or the client did not use the connection.
                  }
                }
              });
      accepting.setDaemon(true);
      accepting.start();
      ConsulConfigProvider behind =
          new ConsulConfigProvider(
              new ConsulSettings(
                  "http://127.0.0.1:" + proxy.getLocalPort(),
                  "redline/rules",
                  Optional.empty(),
                  false));
      for (int i = 0; i < 100; i++) {
        assertThat(behind.load()).isPresent();
      }
    }
  }

  @Test
  void reportsAnAgentWithoutLeader() {
    answer(500, "", "No cluster leader\n");
    assertThatThrownBy(source::load)
        .isInstanceOf(IOException.class)
        .hasMessage("Consul redline/rules: Consul answered 500: No cluster leader");
  }

  @Test
  void rejectsResponsesThatAreNotThoseOfConsul() {
    for (String body :
        new String[] {"<html>", "{}", "[1]", "[{\"Key\":\"k\",\"Value\":\"%%%\"}]"}) {
      answer(200, "1", body);
      assertThatThrownBy(source::load)
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("Consul redline/rules: the answer is not that of Consul: ");
    }
    answer(200, "1", "[{\"Key\":\"k\",\"Value\":\"/w==\"}]");
    assertThatThrownBy(source::load).hasMessageContaining("the value of k is not a UTF-8 text");
  }

  @Test
  void failsWaitOnErrors() throws Exception {
    answer(200, "5", KvStub.entry("redline/rules", "rules: []"));
    source.load();
    answer(403, "", "Permission denied");
    assertThatThrownBy(() -> source.awaitChange(LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("access denied (403)");
    answer(302, "", "");
    assertThatThrownBy(() -> source.awaitChange(LONG)).hasMessageContaining("answered 302");
  }

  @Test
  void emptyValueIsAnEmptyDocument() throws Exception {
    answer(200, "5", "[{\"Key\":\"redline/rules\",\"Value\":null}]");
    assertThat(source.load().orElseThrow().documents().get(0).content()).isEmpty();
  }
}
