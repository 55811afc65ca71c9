package dev.redline.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.LogLines;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

/** Clients that could fill the log with a line for each of their connections. */
@Timeout(60)
class LogFloodTest {
  private static final String HEAD = "GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n";
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private static TestServer start() throws IOException {
    return TestServer.start("rules: []", Map.of("rl.server.drain-timeout", "50ms"));
  }

  private static Socket connect(TestServer server, String bytes) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server().port());
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Ends as the service does not expect; a linger time of zero resets the connection. */
  private static void end(Socket socket, boolean reset) throws IOException {
    if (reset) {
      socket.setSoLinger(true, 0);
    }
    socket.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PR",
        "GET",
        HEAD,
        HEAD + "\r\n",
        PREFACE,
        PREFACE + "nonsense that is no frame at all"
      })
  void brokenConnectionIsNotLogged(String bytes) throws Exception {
    try (TestServer server = start();
        LogLines lines = new LogLines(Logger.ROOT_LOGGER_NAME)) {
      for (boolean reset : new boolean[] {false, true}) {
        try (Socket idle = connect(server, bytes)) {
          // The service has read the bytes when it has answered a request that came later.
          assertThat(server.get(server.uri("/v1/openapi.json")).statusCode()).isEqualTo(200);
          end(idle, reset);
        }
      }
      server.close();

      assertThat(lines.all()).noneMatch(line -> line.startsWith("ERROR"));
      assertThat(lines.all()).noneMatch(line -> line.startsWith("WARN"));
    }
  }

  @Test
  void partOfAHeadIsNotLoggedWhenTheServiceStops() throws Exception {
    TestServer server = start();
    try (LogLines lines = new LogLines(Logger.ROOT_LOGGER_NAME);
        Socket half = connect(server, HEAD)) {
      await().until(() -> server.get(server.uri("/v1/openapi.json")).statusCode() == 200);
      server.close();

      assertThat(half.getInputStream().readAllBytes()).isEmpty();
      assertThat(lines.all()).noneMatch(line -> line.startsWith("WARN"));
      assertThat(lines.all()).noneMatch(line -> line.startsWith("ERROR"));
    }
  }
}
