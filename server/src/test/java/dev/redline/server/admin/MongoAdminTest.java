package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The admin API with rules in MongoDB, on two servers. */
class MongoAdminTest {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final String RULE = "{\"id\":\"new\",\"path\":\"/new/**\",\"limit\":\"3/d\"}";

  private final MongoServer mongo = new MongoServer(new MemoryBackend());
  private final String uri = start(mongo);
  private final MongoClient client = MongoClients.create(uri);
  private final MongoCollection<BsonDocument> rules =
      client.getDatabase("redline").getCollection("rate_limit_rules", BsonDocument.class);

  private static String start(MongoServer mongo) {
    mongo.enableOplog();
    return mongo.bindAndGetConnectionString();
  }

  @AfterEach
  void close() {
    client.close();
    mongo.shutdownNow();
  }

  private TestServer start() throws IOException {
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.source", "MONGO");
    properties.put("rl.mongo.uri", uri);
    return TestServer.start(AdminClient.RULES, properties);
  }

  private static List<String> texts(JsonNode entries, String field) {
    List<String> texts = new ArrayList<>();
    entries.forEach(entry -> texts.add(entry.get(field).asString()));
    return texts;
  }

  private static void awaitStatus(TestServer server, String path, int status) {
    await()
        .atMost(SOON)
        .until(
            () ->
                server.post("/v1/check", "{\"request\":{\"path\":\"" + path + "\"}}").statusCode()
                    == status);
  }

  @Test
  void changesRulesOfAllServersWithHistoryAuditAndRestore() throws IOException {
    try (TestServer server = start();
        TestServer other = start()) {
      AdminClient admin = AdminClient.editor(server);
      // The file of the command line was written once, by one of the servers.
      assertThat(texts(admin.json("history"), "by")).containsExactly("start");
      assertThat(rules.countDocuments()).isEqualTo(2);

      assertThat(admin.post("rules", RULE.replace("3/d", "0/d")).statusCode()).isEqualTo(400);
      assertThat(admin.post("rules", RULE).statusCode()).isEqualTo(201);
      assertThat(admin.post("rules", RULE).statusCode()).isEqualTo(409);
      assertThat(admin.put("new", "\"wrong\"", RULE).statusCode()).isEqualTo(412);
      assertThat(
              admin
                  .put("new", "*", "{\"id\":\"new\",\"path\":\"/new/**\",\"action\":\"DENY\"}")
                  .statusCode())
          .isEqualTo(200);
      awaitStatus(server, "/new/x", 403);
      awaitStatus(other, "/new/x", 403);
      assertThat(rules.countDocuments(BsonDocument.parse("{_id:'new', action:'DENY'}"))).isOne();
      assertThat(admin.delete("new", "*").statusCode()).isEqualTo(204);
      awaitStatus(other, "/new/x", 200);
      assertThat(rules.countDocuments()).isEqualTo(2);

      JsonNode history = AdminClient.editor(other).json("history");
      assertThat(texts(history, "by")).containsExactly("ci", "ci", "ci", "start");
      long denied = history.get(1).get("version").asLong();
      assertThat(admin.post("history/" + denied + "/restore", "").statusCode()).isEqualTo(200);
      awaitStatus(other, "/new/x", 403);
      assertThat(texts(admin.json("audit"), "action"))
          .containsExactly("restore", "delete", "update", "create", "create");
    }
  }

  @Test
  void restoreUndoesWhatAnotherToolHasBroken() throws IOException {
    try (TestServer server = start()) {
      AdminClient admin = AdminClient.editor(server);
      long good = admin.json("history").get(0).get("version").asLong();
      rules.updateOne(
          BsonDocument.parse("{_id:'per-ip'}"), BsonDocument.parse("{$set:{bands:'many'}}"));
      await().atMost(SOON).until(() -> admin.get("rules/errors").body().contains("rule 'per-ip'"));
      assertThat(texts(admin.json("history"), "by")).containsExactly("external", "start");
      problem(admin.post("rules", RULE), 409);

      assertThat(admin.post("history/" + good + "/restore", "").statusCode()).isEqualTo(200);

      assertThat(admin.post("rules", RULE).statusCode()).isEqualTo(201);
      await()
          .atMost(SOON)
          .until(
              () ->
                  !server.get(server.management("/actuator/health")).body().contains("\"error\""));
    }
  }
}
