package dev.redline.client.internal;

import static dev.redline.client.internal.StubServer.send;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.client.RemoteSettings;
import dev.redline.core.LimitCheck;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start learns of checks that the server would reject. */
@Timeout(60)
class RejectedChecksTest {
  private static final LimitCheck CHECK = LimitCheck.ofRule("r", List.of("a"), 1);

  private StubServer stub;
  private RemoteServer server;

  @BeforeEach
  void start() throws IOException {
    stub = new StubServer(StubServer::allow);
    server = new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofSeconds(20)));
  }

  @AfterEach
  void stop() {
    server.close();
    stub.close();
  }

  @Test
  void tellsWhichChecksWouldBeRejected() {
    List<LimitCheck> checks = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      checks.add(LimitCheck.ofRule("r" + i, List.of("a"), 1));
    }
    stub.responder(
        (exchange, body) -> {
          String rejected =
              "{\"error\":{\"status\":400,\"title\":\"Bad Request\",\"detail\":\"no limits\"}}";
          String decisions = StubServer.decisions(StubServer.checks(body));
          send(
              exchange,
              200,
              body.contains("\"r249\"")
                  ? decisions.substring(0, decisions.lastIndexOf("{\"allowed\"")) + rejected + "]}"
                  : decisions);
        });
    List<Optional<String>> rejections = server.rejections(checks);
    assertThat(rejections).hasSize(250);
    assertThat(rejections.subList(0, 249)).allMatch(Optional::isEmpty);
    assertThat(rejections.get(249).orElseThrow()).contains("no limits");
    assertThat(stub.bodies())
        .hasSize(3)
        .allMatch(body -> body.split("\"dryRun\":true", -1).length - 1 == StubServer.checks(body));
  }

  @Test
  void waitsLongerForRejectionsThanForDecisions() {
    stub.responder(
        (exchange, body) -> {
          try {
            Thread.sleep(300);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          send(
              exchange,
              200,
              "{\"decisions\":[{\"error\":{\"status\":400,\"title\":\"x\",\"detail\":\"no\"}}]}");
        });
    try (RemoteServer hurried =
        new RemoteServer(RemoteSettings.of(stub.uri()).withTimeout(Duration.ofMillis(10)))) {
      assertThat(hurried.rejections(List.of(CHECK)).get(0)).isPresent();
      assertThat(hurried.health().up()).as("no call that counts").isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 404, 500, 503})
  void knowsOfNoRejectionWithoutDecisions(int status) {
    stub.responder((exchange, body) -> send(exchange, status, "{}"));
    assertThat(server.rejections(List.of(CHECK, CHECK)))
        .containsExactly(Optional.empty(), Optional.empty());
  }

  @Test
  void knowsOfNoRejectionByAServerThatIsDown() {
    stub.close();
    assertThat(server.rejections(List.of(CHECK))).containsExactly(Optional.empty());
  }
}
