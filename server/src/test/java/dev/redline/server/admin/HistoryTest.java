package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.TestServer;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class HistoryTest {
  private static final String RULE =
      "{\"id\":\"new\",\"path\":\"/new/**\",\"limit\":\"3/d\","
          + "\"metadata\":{\"z\":1,\"a\":\"ä\",\"m\":[true]}}";

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @TempDir Path temporary;

  private TestServer start() throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.data-dir", temporary.resolve("data").toString());
    return TestServer.start(AdminClient.RULES, properties);
  }

  private static List<Long> versions(AdminClient admin) {
    List<Long> versions = new ArrayList<>();
    admin.json("history").forEach(entry -> versions.add(entry.get("version").asLong()));
    return versions;
  }

  @Test
  void restoresEarlierVersionAndAuditsIt() throws IOException {
    try (TestServer server = start()) {
      AdminClient admin = AdminClient.editor(server);
      assertThat(admin.json("history")).isEmpty();
      assertThat(admin.json("audit")).isEmpty();
      String before = admin.rulesPage();
      long begin = System.currentTimeMillis();
      admin.post("rules", RULE);
      String afterCreate = admin.rulesPage();
      String rulesAfterCreate = withoutOrigin(admin);
      admin.put("new", "*", RULE.replace("3/d", "4/d"));
      admin.delete("new", "*");
      assertThat(versions(admin)).containsExactly(7L, 6L, 5L, 4L);

      HttpResponse<String> restored = admin.post("history/5/restore", "");

      assertThat(restored.statusCode()).as(restored.body()).isEqualTo(200);
      assertThat(TestServer.json(restored).get("version").asLong()).isEqualTo(8);
      assertThat(admin.rulesPage()).isEqualTo(afterCreate).isNotEqualTo(before);
      assertThat(withoutOrigin(admin)).isEqualTo(rulesAfterCreate);
      assertThat(admin.version()).isEqualTo(8);

      assertThat(admin.post("history/4/restore", "").statusCode()).isEqualTo(200);
      assertThat(admin.rulesPage()).isEqualTo(before);
      assertThat(versions(admin)).containsExactly(9L, 8L, 7L, 6L, 5L, 4L);
      problem(admin.post("history/3/restore", ""), 404);
      problem(admin.post("history/99/restore", ""), 404);
      problem(admin.post("history/x/restore", ""), 404);

      JsonNode newest = admin.json("history").get(0);
      assertThat(newest.get("by").asString()).isEqualTo("ci");
      assertThat(newest.get("summary").asString()).isEqualTo("version 4 restored");
      assertThat(newest.get("at").asLong()).isBetween(begin, System.currentTimeMillis());
      JsonNode audit = admin.json("audit");
      List<String> actions = new ArrayList<>();
      audit.forEach(entry -> actions.add(entry.get("action").asString()));
      assertThat(actions).containsExactly("restore", "restore", "delete", "update", "create");
      audit.forEach(entry -> assertThat(entry.get("by").asString()).isEqualTo("ci"));
      assertThat(audit.get(0).get("version").asLong()).isEqualTo(4);
      JsonNode update = audit.get(3);
      assertThat(update.get("version").asLong()).isEqualTo(6);
      assertThat(update.get("ruleSetId").asString()).isEqualTo("default");
      assertThat(update.get("ruleId").asString()).isEqualTo("new");
      assertThat(update.get("before").get("bands").get(0).get("capacity").asInt()).isEqualTo(3);
      assertThat(update.get("after").get("bands").get(0).get("capacity").asInt()).isEqualTo(4);
      assertThat(audit.get(2).has("after")).isFalse();
      assertThat(audit.get(4).has("before")).isFalse();
      assertThat(audit.get(4).get("at").asLong()).isBetween(begin, System.currentTimeMillis());
    }
  }

  @Test
  void historyAndRulesSurviveARestart() throws IOException {
    String page;
    try (TestServer server = start()) {
      AdminClient admin = AdminClient.editor(server);
      admin.post("rules", RULE);
      admin.put("per-ip", "*", "{\"limit\":\"9/d\"}");
      page = admin.rulesPage();
    }
    try (TestServer server = start()) {
      AdminClient admin = AdminClient.editor(server);
      assertThat(admin.rulesPage()).isEqualTo(page);
      assertThat(admin.version()).isEqualTo(6);
      assertThat(versions(admin)).containsExactly(6L, 5L, 4L);
      assertThat(admin.json("audit")).hasSize(2);
      assertThat(admin.delete("new", admin.etag("new")).statusCode()).isEqualTo(204);
      assertThat(admin.version()).isEqualTo(7);
    }
  }

  @Test
  void changeOnRedisAppliesOnAllServersAndCanBeRestoredByAnother() throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.source", "REDIS");
    properties.put("rl.redis.uri", REDIS.get().uri());
    try (TestServer one = TestServer.start(AdminClient.RULES, properties);
        TestServer two = TestServer.start(AdminClient.RULES, properties);
        TestServer three = TestServer.start(AdminClient.RULES, properties)) {
      AdminClient here = AdminClient.editor(one);
      AdminClient there = AdminClient.editor(three);
      String before = here.rulesPage();
      long version = here.version();
      String ask = "{\"request\":{\"path\":\"/new/x\"},\"dryRun\":true}";

      assertThat(here.post("rules", RULE).statusCode()).isEqualTo(201);
      for (TestServer server : List.of(one, two, three)) {
        await()
            .atMost(Duration.ofSeconds(10))
            .until(() -> server.ask("/v1/check", ask).has("ruleId"));
      }
      assertThat(here.delete("per-ip", here.etag("per-ip")).statusCode()).isEqualTo(204);
      assertThat(there.post("history/" + version + "/restore", "").statusCode()).isEqualTo(200);

      assertThat(there.rulesPage()).isEqualTo(before);
      for (AdminClient admin : List.of(here, AdminClient.editor(two))) {
        await().atMost(Duration.ofSeconds(10)).until(() -> admin.rulesPage().equals(before));
      }
      assertThat(versions(here).subList(0, 4))
          .containsExactly(version + 3, version + 2, version + 1, version);
      assertThat(here.json("audit").get(0).get("action").asString()).isEqualTo("restore");
    }
  }

  @Test
  void changeAppliesOnTheOtherServer() throws IOException {
    try (TestServer one = start();
        TestServer other = start()) {
      AdminClient here = AdminClient.editor(one);
      AdminClient there = AdminClient.editor(other);
      assertThat(here.post("rules", RULE).statusCode()).isEqualTo(201);
      String ask = "{\"request\":{\"path\":\"/new/x\"},\"dryRun\":true}";
      await().atMost(Duration.ofSeconds(10)).until(() -> other.ask("/v1/check", ask).has("ruleId"));
      assertThat(there.rulesPage()).isEqualTo(here.rulesPage());
      assertThat(there.version()).isEqualTo(here.version());

      assertThat(there.put("new", there.etag("new"), RULE.replace("3/d", "9/d")).statusCode())
          .isEqualTo(200);
      problem(here.put("new", "\"stale\"", RULE), 412);
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> one.ask("/v1/check", ask).get("limit").asInt() == 9);
      assertThat(versions(here)).isEqualTo(versions(there)).containsExactly(6L, 5L, 4L);
    }
  }

  /** Returns the rules without the times at which they were written. */
  private static String withoutOrigin(AdminClient admin) {
    return admin.json("rules").get("rules").toString().replaceAll(",\"origin\":\\{[^}]*}", "");
  }
}
