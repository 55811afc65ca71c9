package dev.redline.server.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The starting document of a service whose source cannot be written. */
class StartingDocumentTest {
  @TempDir Path directory;

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private TestServer start(int upstream) throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.source", "REMOTE_API");
    properties.put("rl.config.remote.uri", "http://localhost:" + upstream);
    properties.put("rl.config.remote.token", "viewer-token-of-tests");
    properties.put("rl.data-dir", directory.toString());
    return TestServer.start("rules: [{ id: starting, path: /s, limit: 1/d }]", properties);
  }

  private static List<String> ids(AdminClient admin) {
    List<String> ids = new ArrayList<>();
    admin.json("rules").get("rules").forEach(rule -> ids.add(rule.get("id").asString()));
    return ids;
  }

  @Test
  void yieldsToTheSourceForGoodAndLeavesOnlyEdits() throws IOException {
    int port = freePort();
    try (TestServer server = start(port)) {
      AdminClient admin = AdminClient.editor(server);
      assertThat(ids(admin)).containsExactly("starting");
      assertThat(directory.resolve("rules")).doesNotExist();
      assertThat(admin.post("rules", "{\"id\":\"edit\",\"limit\":\"1/d\"}").statusCode())
          .isEqualTo(201);
      assertThat(ids(admin)).containsExactlyInAnyOrder("starting", "edit");

      Map<String, String> properties = new HashMap<>(AdminClient.tokens());
      properties.put("rl.server.port", Integer.toString(port));
      try (TestServer ignored = TestServer.start(AdminClient.RULES, properties)) {
        await()
            .atMost(Duration.ofSeconds(15))
            .untilAsserted(
                () ->
                    assertThat(ids(admin)).containsExactlyInAnyOrder("per-ip", "per-user", "edit"));
      }
    }
  }
}
