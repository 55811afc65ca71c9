package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.TestServer;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Edits while what a source holds now is not what is in force. */
class UnresolvedSourcesTest {
  private static final String NEW = "{\"id\":\"n1\",\"limit\":\"1/d\"}";

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @TempDir Path directory;

  private static List<String> ids(AdminClient admin) {
    List<String> ids = new ArrayList<>();
    admin.json("rules").get("rules").forEach(rule -> ids.add(rule.get("id").asString()));
    return ids;
  }

  private TestServer startOnRedis() throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.source", "REDIS");
    properties.put("rl.redis.uri", REDIS.get().uri());
    return TestServer.start(AdminClient.RULES, properties);
  }

  @Test
  void editAfterTheDocumentDisappearedKeepsTheRulesInForceAndWritesThemBack() throws IOException {
    try (TestServer server = startOnRedis()) {
      AdminClient admin = AdminClient.editor(server);
      assertThat(admin.post("rules", "{\"id\":\"before\",\"plan\":\"gold\"}").statusCode())
          .isEqualTo(201);
      try (RedisClient client = RedisClient.create(REDIS.get().uri())) {
        client.connect().sync().flushall();
      }

      assertThat(admin.post("rules", NEW).statusCode()).isEqualTo(201);

      assertThat(ids(admin)).containsExactlyInAnyOrder("per-ip", "per-user", "before", "n1");
    }
    try (TestServer other = startOnRedis()) {
      assertThat(ids(AdminClient.editor(other)))
          .containsExactlyInAnyOrder("per-ip", "per-user", "before", "n1");
    }
  }

  @Test
  void rejectsEditThatAChangedFileKeepsOutOfForceUntilTheRuleIsMended() throws IOException {
    Path file = Files.writeString(directory.resolve("rules.yaml"), AdminClient.RULES);
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.path", file.toString());
    properties.put("rl.reload.enabled", "false");
    try (TestServer server = TestServer.start("rules: []", properties)) {
      AdminClient admin = AdminClient.editor(server);
      for (String id : List.of("one", "two")) {
        String rule = "{\"id\":\"" + id + "\",\"plan\":\"gold\"}";
        assertThat(admin.post("rules", rule).statusCode()).isEqualTo(201);
      }
      Files.writeString(file, AdminClient.RULES.replace("gold", "silver"));
      assertThat(admin.post("reload", "").body()).contains("gold");
      long version = admin.json("history").get(0).get("version").asLong();

      String problem = problem(admin.post("rules", NEW), 409).get("errors").toString();
      assertThat(problem).contains("gold");
      assertThat(admin.json("history").get(0).get("version").asLong()).isEqualTo(version);
      problem(admin.put("per-ip", "*", "{\"limit\":\"7/d\"}"), 409);

      assertThat(admin.delete("one", "*").statusCode()).isEqualTo(204);
      assertThat(admin.put("two", "*", "{\"plan\":\"silver\"}").statusCode()).isEqualTo(200);

      assertThat(admin.json("rules/errors").get("errors")).isEmpty();
      assertThat(admin.post("rules", NEW).statusCode()).isEqualTo(201);
      assertThat(ids(admin)).containsExactlyInAnyOrder("per-ip", "per-user", "two", "n1");
    }
  }
}
