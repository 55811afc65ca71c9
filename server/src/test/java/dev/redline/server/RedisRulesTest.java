package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.rules.redis.RedisRuleRepository;
import dev.redline.server.wiring.ServerOptions;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules in Redis, followed by several servers. */
@Tag("faults")
class RedisRulesTest {
  private static final Duration SOON = Duration.ofSeconds(15);
  private static final String CHECK = "{\"request\":{\"path\":\"/x\"}}";

  @TempDir Path directory;

  private final RedisServer redis = RedisServer.start(RedisBinary.any());
  private final RedisRuleRepository repository = repository();

  private RedisRuleRepository repository() {
    return new RedisRuleRepository(RedisConnectionSettings.of(redis.uri()), "rl");
  }

  @AfterEach
  void close() {
    repository.close();
    redis.close();
  }

  private TestServer start(String uri, Map<String, String> more) {
    Map<String, String> flags = new HashMap<>(TestServer.onFreePorts());
    flags.put("rl.config.source", "REDIS");
    flags.put("rl.redis.uri", uri);
    flags.putAll(more);
    return TestServer.start(new ServerOptions(flags, Map.of(), Optional.empty()));
  }

  private void publish(String ruleId) throws IOException {
    long newest = repository.newest().map(Revision::version).orElse(0L);
    Instant now = Instant.now();
    String document = "{\"rules\":[{\"id\":\"" + ruleId + "\",\"limit\":\"9/d\"}]}";
    assertThat(
            repository.write(
                newest,
                new Revision(newest + 1, document, now, "test", "now " + ruleId),
                new AuditEntry(
                    now,
                    "test",
                    "update",
                    Optional.of(ruleId),
                    Optional.empty(),
                    Optional.empty())))
        .isTrue();
  }

  private void publishOnceThere(String ruleId) {
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              publish(ruleId);
              return true;
            });
  }

  private static String decidingRule(TestServer server) {
    var decision = server.ask("/v1/check", CHECK);
    return decision.has("ruleId") ? decision.get("ruleId").asString() : "none";
  }

  private static void awaitRule(String ruleId, TestServer... servers) {
    long start = System.nanoTime();
    for (TestServer server : servers) {
      await()
          .pollInterval(Duration.ofMillis(20))
          .atMost(SOON)
          .until(() -> decidingRule(server).equals(ruleId));
    }
    System.out.println(
        ruleId
            + " decided on "
            + servers.length
            + " servers after "
            + (System.nanoTime() - start) / 1_000_000
            + " ms");
  }

  @Test
  void changeReachesAllServersAfterDisconnectAndRedisRestart() throws IOException {
    publish("first");
    try (FaultProxy proxy = FaultProxy.to(redis);
        TestServer one = start(redis.uri(), Map.of());
        TestServer two = start(redis.uri(), Map.of());
        TestServer three = start(proxy.uri(), Map.of())) {
      awaitRule("first", one, two, three);
      publish("second");
      awaitRule("second", one, two, three);

      proxy.stall();
      publish("third");
      awaitRule("third", one, two);
      assertThat(decidingRule(three)).isEqualTo("second");
      proxy.resume();
      awaitRule("third", three);

      redis.kill();
      assertThat(List.of(decidingRule(one), decidingRule(two))).containsOnly("third");
      redis.restart();
      publishOnceThere("fourth");
      awaitRule("fourth", one, two, three);
    }
  }

  @Test
  void loadsRulesWhenRedisComesUpAfterTheStart() {
    redis.kill();
    try (TestServer rejects = start(redis.uri(), Map.of("rl.missing-rule-behavior", "REJECT"));
        TestServer allows = start(redis.uri(), Map.of())) {
      assertThat(rejects.post("/v1/check", CHECK).statusCode()).isEqualTo(503);
      assertThat(allows.post("/v1/check", CHECK).statusCode()).isEqualTo(200);
      assertThat(rejects.get(rejects.management("/actuator/health")).body()).contains("DOWN");

      redis.restart();
      publishOnceThere("first");
      awaitRule("first", rejects, allows);

      redis.kill();
      redis.restart();
      publishOnceThere("first");
      await()
          .atMost(SOON)
          .until(
              () ->
                  !allows.get(allows.management("/actuator/health")).body().contains("\"error\""));
      assertThat(decidingRule(allows)).isEqualTo("first");
    }
  }

  @Test
  void commandLineRulesSeedEmptyRedisAndYieldToItsRules() throws IOException {
    Path rules =
        Files.writeString(
            directory.resolve("rules.yaml"),
            "rules: [{ id: '${NOBODY_SET_THIS:seeded}', limit: 9/d }]");
    Map<String, String> withRules = Map.of("rl.config.path", rules.toString());
    try (TestServer first = start(redis.uri(), withRules)) {
      assertThat(decidingRule(first)).isEqualTo("seeded");
      assertThat(repository.newest().orElseThrow().document())
          .contains("\"seeded\"")
          .doesNotContain("NOBODY_SET_THIS");
      publish("changed");
      awaitRule("changed", first);
    }
    try (TestServer second = start(redis.uri(), withRules)) {
      assertThat(decidingRule(second)).isEqualTo("changed");
      assertThat(repository.revisions(10)).hasSize(2);
    }
  }
}
