package dev.redline.rules.mongo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.ReplaceOptions;
import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An engine whose rules are in MongoDB, while things go wrong. */
@Tag("faults")
class MongoRulesTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private final MongoTestServer server = MongoTestServer.start();
  private final MongoClient client = MongoClients.create(server.uri());
  private final MongoCollection<BsonDocument> rules =
      client.getDatabase("redline").getCollection("rate_limit_rules", BsonDocument.class);

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static RedlineAssembly start(String uri, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>(more);
    properties.put("rl.config.source", "MONGO");
    properties.put("rl.mongo.uri", uri);
    return RedlineAssembly.builder(
            AssemblySettings.parse(
                properties,
                Plugins.load(MongoRulesTest.class.getClassLoader()),
                HostProfile.service()))
        .start();
  }

  private static String decidingRule(RedlineAssembly assembly) {
    return assembly
        .engine()
        .check(RequestContext.builder().path("/x").build())
        .ruleId()
        .orElse("none");
  }

  /** Makes this the only rule; tries again while connections of before an outage fail. */
  private void replaceWith(String id) {
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(MongoException.class)
        .until(
            () -> {
              rules.replaceOne(
                  BsonDocument.parse("{_id:'" + id + "'}"),
                  BsonDocument.parse("{_id:'" + id + "', limit:'9/d'}"),
                  new ReplaceOptions().upsert(true));
              rules.deleteMany(BsonDocument.parse("{_id:{$ne:'" + id + "'}}"));
              return true;
            });
  }

  private static void awaitRule(RedlineAssembly assembly, String id) {
    await().atMost(SOON).until(() -> decidingRule(assembly).equals(id));
  }

  private static String error(RedlineAssembly assembly) {
    return String.join("; ", assembly.rulesStatus().errors());
  }

  @Test
  void changeDuringOutageIsInForceAfterIt() {
    replaceWith("first");
    try (RedlineAssembly assembly = start(server.uri(), Map.of("rl.mongo.poll-interval", "1s"))) {
      awaitRule(assembly, "first");
      replaceWith("second");
      awaitRule(assembly, "second");

      replaceWith("third");
      server.kill();
      await().atMost(SOON).until(() -> !error(assembly).isEmpty());
      assertThat(decidingRule(assembly)).isIn("second", "third");
      assertThat(error(assembly)).startsWith("MongoDB redline.rate_limit_rules: ");
      server.restart();
      awaitRule(assembly, "third");
      await().atMost(SOON).until(() -> error(assembly).isEmpty());

      // The change stream works again: the next change comes by it or by polling.
      replaceWith("fourth");
      awaitRule(assembly, "fourth");
    }
  }

  @Test
  void startsWithoutServerAndLoadsRulesLater() {
    replaceWith("first");
    server.kill();
    try (RedlineAssembly assembly = start(server.uri(), Map.of())) {
      assertThat(decidingRule(assembly)).isEqualTo("none");
      server.restart();
      awaitRule(assembly, "first");
    }
  }

  @Test
  void wrongAndRevokedCredentialsAreShownWithoutThePassword() {
    replaceWith("first");
    server.demand("app", "s3cret");
    try (RedlineAssembly wrong = start(server.uri("app", "wr0ng"), Map.of());
        RedlineAssembly assembly =
            start(server.uri("app", "s3cret"), Map.of("rl.mongo.poll-interval", "1s"))) {
      awaitRule(assembly, "first");
      assertThat(decidingRule(wrong)).isEqualTo("none");
      assertThat(error(wrong)).contains("MongoDB redline").doesNotContain("wr0ng");

      server.demand("app", "changed");
      await().atMost(SOON).until(() -> !error(assembly).isEmpty());
      assertThat(error(assembly)).doesNotContain("s3cret");
      assertThat(decidingRule(assembly)).isEqualTo("first");

      server.demand("app", "s3cret");
      await().atMost(SOON).until(() -> error(assembly).isEmpty());
      assertThat(decidingRule(assembly)).isEqualTo("first");
    }
  }

  @Test
  void brokenDocumentsLeaveTheLastGoodRulesInForce() {
    replaceWith("first");
    try (RedlineAssembly assembly = start(server.uri(), Map.of())) {
      awaitRule(assembly, "first");

      rules.insertOne(BsonDocument.parse("{_id:'broken', limitt:'9/d'}"));
      await().atMost(SOON).until(() -> error(assembly).contains("rule 'broken'"));
      assertThat(decidingRule(assembly)).isEqualTo("first");

      rules.replaceOne(
          BsonDocument.parse("{_id:'broken'}"),
          BsonDocument.parse("{_id:'broken', limit:{$numberDouble:'NaN'}}"));
      await().atMost(SOON).until(() -> error(assembly).contains("NaN"));
      assertThat(decidingRule(assembly)).isEqualTo("first");

      rules.insertOne(
          BsonDocument.parse("{_id:{$oid:'0123456789abcdef01234567'}, id:'first', limit:'8/d'}"));
      rules.deleteOne(BsonDocument.parse("{_id:'broken'}"));
      await().atMost(SOON).until(() -> error(assembly).contains("already used"));
      assertThat(decidingRule(assembly)).isEqualTo("first");

      rules.drop();
      await().atMost(SOON).until(() -> error(assembly).contains("no rule document"));
      assertThat(decidingRule(assembly)).isEqualTo("first");

      replaceWith("healed");
      awaitRule(assembly, "healed");
      await().atMost(SOON).until(() -> error(assembly).isEmpty());
    }
  }

  @Test
  void usesClientOfTheApplicationAndLeavesItOpen() {
    replaceWith("first");
    Map<String, String> properties = Map.of("rl.config.source", "MONGO");
    RedlineAssembly.HostObjects objects =
        new RedlineAssembly.HostObjects() {
          @Override
          public <T> Optional<T> find(Class<T> type) {
            return type == MongoClient.class ? Optional.of(type.cast(client)) : Optional.empty();
          }
        };
    try (RedlineAssembly assembly =
        RedlineAssembly.builder(
                AssemblySettings.parse(
                    properties,
                    Plugins.load(MongoRulesTest.class.getClassLoader()),
                    HostProfile.service()))
            .hostObjects(objects)
            .start()) {
      assertThat(decidingRule(assembly)).isEqualTo("first");
    }
    assertThat(rules.countDocuments()).isOne();
  }

  @Test
  void noticesInRedisReachOtherNodes() throws IOException {
    replaceWith("first");
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      Map<String, String> published =
          Map.of(
              "rl.reload.strategy",
              "REDIS_PUBSUB",
              "rl.redis.uri",
              redis.uri(),
              // Only a notice can be the reason for an early load.
              "rl.mongo.poll-interval",
              "10m");
      try (RedlineAssembly reader = start(server.uri(), published);
          RedlineAssembly writer = start(server.uri(), published)) {
        await()
            .atMost(SOON)
            .until(
                () ->
                    redis
                        .command("PUBSUB", "NUMSUB", "rl:m:{rules}:changed")
                        .toString()
                        .contains("2"));
        MongoRuleRepository repository =
            (MongoRuleRepository) writer.ruleLoader().sources().get(0).provider();
        Revision newest = repository.newest().orElseThrow();
        Instant now = Instant.ofEpochMilli(1);
        Optional<String> none = Optional.empty();
        assertThat(
                repository.write(
                    newest.version(),
                    new Revision(
                        newest.version() + 1,
                        "{\"rules\":[{\"id\":\"second\",\"limit\":\"9/d\"}]}",
                        now,
                        "ci",
                        "changed"),
                    new AuditEntry(now, "ci", "update", none, none, none)))
            .isTrue();
        awaitRule(reader, "second");

        // Another tool changes the rules and publishes a notice itself.
        replaceWith("third");
        redis.command("PUBLISH", "rl:m:{rules}:changed", "1");
        awaitRule(reader, "third");
        awaitRule(writer, "third");

        redis.kill();
        assertThat(decidingRule(reader)).isEqualTo("third");
        assertThat(error(reader)).isEmpty();
      }
    }
  }

  @Test
  void pollsWithoutChangeStreams() {
    server.failIf(command -> command.name().equals("aggregate"));
    replaceWith("first");
    try (RedlineAssembly assembly =
        start(server.uri(), Map.of("rl.mongo.poll-interval", "500ms"))) {
      awaitRule(assembly, "first");
      replaceWith("second");
      awaitRule(assembly, "second");
      assertThat(error(assembly)).isEmpty();
    }
  }
}
