package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SlowBodiesTest {
  private static final String TOKEN = "an-editor-of-this-test";
  private static final String LONG_BODY = "Host: x\r\nContent-Length: 300000000\r\n\r\nx";
  private static final int SLOW = 200;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static TestServer server;

  /** A server that waits for bodies longer than any test. */
  private static TestServer patient;

  @BeforeAll
  static void start() throws IOException {
    server = start(Duration.ofSeconds(1));
    patient = start(PATIENCE);
  }

  private static TestServer start(Duration bodyTimeout) throws IOException {
    return TestServer.start(
        "rules: [{ id: closed, path: /closed, action: DENY }]",
        Map.of(
            "rl.server.body-timeout",
            bodyTimeout.toSeconds() + "s",
            "rl.admin.tokens.ci.role",
            "editor",
            "rl.admin.tokens.ci.value",
            TOKEN));
  }

  @AfterAll
  static void stop() {
    server.close();
    patient.close();
  }

  private static RawClient data(String text) throws IOException {
    RawClient client = new RawClient(server.server().port());
    client.send(text);
    return client;
  }

  private static RawClient management(String text) throws IOException {
    RawClient client = new RawClient(server.server().managementPort());
    client.send(text);
    return client;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /nowhere HTTP/1.1\r\n",
        "PUT /v1/check HTTP/1.1\r\n",
        "POST /v1/check HTTP/1.1\r\n",
        "POST /v1/forward-auth HTTP/1.1\r\nX-Forwarded-Uri: /closed\r\n",
        "POST /v1/forward-auth HTTP/1.1\r\nX-Forwarded-Uri: /open\r\n",
      })
  void dataPortAnswersAndClosesWithoutReadingLongBodies(String head) throws IOException {
    try (RawClient client = data(head + LONG_BODY)) {
      assertThat(client.rest())
          .startsWith("HTTP/1.1 ")
          .containsIgnoringCase("\r\nconnection: close\r\n");
    }
  }

  @Test
  void cutsOffClientThatKeepsSending() throws IOException {
    try (RawClient client = data("POST /nowhere HTTP/1.1\r\n" + LONG_BODY)) {
      assertThat(client.statusLine()).startsWith("HTTP/1.1 404");
      String megabyte = "x".repeat(1 << 20);
      int sent = 0;
      try {
        while (sent < 300) {
          client.send(megabyte);
          sent++;
        }
      } catch (SocketException e) {
        assertThat(sent).as("megabytes, socket buffers included").isLessThan(50);
        return;
      }
      assertThat(sent).as("megabytes, all of them read").isLessThan(300);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 100\r\n", "Transfer-Encoding: chunked\r\n"})
  void dataPortCutsOffLateBody(String length) throws IOException {
    try (RawClient client = data("POST /v1/check HTTP/1.1\r\nHost: x\r\n" + length + "\r\n")) {
      assertThat(client.rest()).startsWith("HTTP/1.1 408 ").contains("application/problem+json");
    }
  }

  @Test
  void keepsConnectionAfterSmallForwardAuthBody() throws IOException {
    String request =
        String.join(
            "\r\n",
            "POST /v1/forward-auth HTTP/1.1",
            "Host: x",
            "X-Forwarded-Uri: /open",
            "Content-Length: 5",
            "",
            "");
    try (RawClient client = data(request)) {
      assertThat(client.statusLine()).isEqualTo("HTTP/1.1 200 OK");
      client.send("hello");
      client.send("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(client.rest()).contains("HTTP/1.1 404 ");
    }
    try (RawClient client = data(request)) {
      assertThat(client.rest()).as("closed when the body is late").startsWith("HTTP/1.1 200 OK");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /admin/v1/rules HTTP/1.1\r\n",
        "POST /admin/v1/rules HTTP/1.1\r\nAuthorization: Bearer wrong\r\n",
        "POST /actuator/health HTTP/1.1\r\n",
        "POST /actuator/health HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n",
        "PUT /nowhere HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
        "POST /admin/v1/rules HTTP/1.1\r\nAuthorization: Bearer " + TOKEN + "\r\n",
      })
  void managementPortAnswersAndClosesWithoutReadingLongBodies(String head) throws IOException {
    try (RawClient client = management(head + LONG_BODY)) {
      assertThat(client.rest()).matches("(?s)HTTP/1.1 4\\d\\d .*");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{"})
  void managementPortCutsOffLateBody(String length) throws IOException {
    String head =
        "POST /admin/v1/rules HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TOKEN + "\r\n";
    try (RawClient client = management(head + length)) {
      String answer = client.rest();
      assertThat(answer).startsWith("HTTP/1.1 408 ").contains("application/problem+json");
      assertThat(answer).containsOnlyOnce("{").endsWith("}");
    }
  }

  @Test
  void managementPortRejectsLateBodyWithOneProblem() throws IOException {
    String request = "POST /admin/v1/rules HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{";
    try (RawClient client = management(request)) {
      String answer = client.rest();
      assertThat(answer).startsWith("HTTP/1.1 401 ").containsOnlyOnce("{").endsWith("}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /actuator/health HTTP/1.1\r\nContent-Type: application/json\r\n",
        "GET /actuator/prometheus HTTP/1.1\r\nContent-Type: application/json\r\n",
        "OPTIONS /actuator/health HTTP/1.1\r\nContent-Type: application/json\r\n",
      })
  void actuatorIgnoresBodies(String head) throws IOException {
    String body = "Host: x\r\nContent-Length: 9\r\n\r\nnot JSON!";
    try (RawClient client = management(head + body)) {
      assertThat(client.statusLine()).isEqualTo("HTTP/1.1 200");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /actuator/info HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: 1000\r\n\r\n{",
        "POST /admin/v1/rules HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
        "POST /admin/v1/rules HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{",
        "POST /admin/v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\nAuthorization:"
            + " Bearer "
            + TOKEN
            + "\r\n\r\n{",
        "POST /actuator/health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{",
      })
  void livenessAnswersWhileManyBodiesAreSlow(String request) throws IOException {
    List<RawClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < SLOW; i++) {
        RawClient client = new RawClient(patient.server().managementPort());
        slow.add(client);
        client.send(request);
      }
      // Had a probe to wait for one of the bodies, its time-out would come first.
      for (int i = 0; i < 20; i++) {
        HttpRequest.Builder probe =
            HttpRequest.newBuilder(patient.management("/actuator/health/liveness"))
                .timeout(PATIENCE.dividedBy(3));
        assertThat(patient.send(probe).statusCode()).isEqualTo(200);
      }
    } finally {
      for (RawClient client : slow) {
        client.close();
      }
    }
  }

  @Test
  void closesConnectionsBeyondTheLimitAndKeepsOthers() throws IOException {
    try (TestServer small =
        TestServer.start("rules: []", Map.of("rl.server.max-connections", "3"))) {
      List<RawClient> clients = new ArrayList<>();
      String request = "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n";
      for (int i = 0; i < 3; i++) {
        RawClient client = new RawClient(small.server().port());
        client.send(request);
        assertThat(client.statusLine()).startsWith("HTTP/1.1 404");
        clients.add(client);
      }
      try (RawClient beyond = new RawClient(small.server().port())) {
        assertThat(answered(beyond, request)).isFalse();
      }
      clients.remove(0).close();
      await()
          .until(
              () -> {
                try (RawClient next = new RawClient(small.server().port())) {
                  return answered(next, request);
                }
              });
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  @Test
  void managementPortServesNoMoreConnectionsThanTheLimit() throws Exception {
    try (TestServer small =
        TestServer.start("rules: []", Map.of("rl.server.max-connections", "3"))) {
      int port = small.server().managementPort();
      String request = "GET /actuator/info HTTP/1.1\r\nHost: x\r\n\r\n";
      List<RawClient> clients = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        clients.add(new RawClient(port));
        clients.get(i).send("GET /actuator/info HTTP/1.1\r\n");
      }
      try (RawClient beyond = new RawClient(port)) {
        CompletableFuture<Boolean> answered =
            CompletableFuture.supplyAsync(() -> answered(beyond, request));
        await().during(Duration.ofMillis(500)).until(() -> !answered.isDone());
        clients.remove(0).close();
        assertThat(answered.get(20, TimeUnit.SECONDS)).isTrue();
      }
      for (RawClient client : clients) {
        client.close();
      }
    }
  }

  private static boolean answered(RawClient client, String request) {
    try {
      client.send(request);
      return client.statusLine().startsWith("HTTP/1.1 ");
    } catch (IOException e) {
      return false;
    }
  }
}
