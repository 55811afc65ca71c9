package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of the management port that send requests and read no response. */
@Timeout(120)
class UnreadResponsesTest {
  private static final int CLIENTS = 60;
  private static final int PIPELINED = 200;

  private static TestServer server;
  private final List<Socket> clients = new ArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("rules: []", Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void closeClients() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  private void connect(String path) throws IOException {
    byte[] requests =
        ("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")
            .repeat(PIPELINED)
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < CLIENTS; i++) {
      Socket client = new Socket();
      clients.add(client);
      client.setReceiveBufferSize(1024);
      client.connect(
          new InetSocketAddress(
              InetAddress.getLoopbackAddress(), server.server().managementPort()));
      client.getOutputStream().write(requests);
    }
  }

  private static int status(String path) {
    return server
        .send(HttpRequest.newBuilder(server.management(path)).timeout(Duration.ofSeconds(10)))
        .statusCode();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/actuator/prometheus", "/actuator/health", "/actuator/health/liveness", "/x"})
  void probesAreAnsweredWhileClientsDoNotRead(String path) throws IOException {
    connect(path);
    for (int i = 0; i < 10; i++) {
      assertThat(status("/actuator/health/liveness")).isEqualTo(200);
      assertThat(status("/actuator/health/readiness")).isEqualTo(200);
    }
  }

  @Test
  void otherRequestsAreServedAgainWhenTheClientsAreGone() throws IOException {
    connect("/actuator/prometheus");
    closeClients();
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(status("/actuator/info")).isEqualTo(200));
  }
}
