package dev.redline.rules.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.MetricsExporter;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of a real Nacos in an engine: while Nacos fails, the last good rules stay in force. */
@Tag("faults")
class NacosRulesTest {
  private static final Duration LIVE = Duration.ofSeconds(1);
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final RequestContext REQUEST = RequestContext.builder().path("/x").build();

  private final Loads loads = new Loads();
  private final String dataId = "rules-" + COUNT.incrementAndGet();
  private final String user = "reader" + COUNT.get();
  private NacosServer server;
  private TcpGate gate;
  private RedlineAssembly redline;

  /** Counts loads. */
  private static final class Loads implements MetricsExporter {
    final AtomicInteger succeeded = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();

    @Override
    public RuleMeter meter(String ruleSetId, String ruleId) {
      return RuleMeter.NONE;
    }

    @Override
    public void rulesLoaded(boolean success) {
      (success ? succeeded : failed).incrementAndGet();
    }
  }

  @BeforeEach
  void useServer() throws Exception {
    server = NacosServer.shared();
    gate = new TcpGate(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    if (redline != null) {
      redline.close();
    }
    gate.close();
  }

  private void start(String username, String password, Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.config.source", "NACOS");
    properties.put("rl.nacos.addr", "127.0.0.1:" + gate.port());
    properties.put("rl.nacos.data-id", dataId);
    properties.put("rl.nacos.username", username);
    properties.put("rl.nacos.password", password);
    properties.putAll(more);
    Plugins plugins = Plugins.load(getClass().getClassLoader());
    redline =
        RedlineAssembly.builder(
                AssemblySettings.parse(properties, plugins, HostProfile.application()))
            .metrics(loads)
            .start();
  }

  private void start() {
    start("nacos", "nacos", Map.of());
  }

  private void publish(String document) throws Exception {
    server.publish("public", dataId, document);
  }

  private static String rule(int limit) {
    return "rules: [{ id: r, limit: " + limit + "/h }]";
  }

  private void awaitLimit(int limit, Duration atMost) {
    await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(10))
        .untilAsserted(() -> assertThat(redline.engine().check(REQUEST).limit()).hasValue(limit));
  }

  private void assertLimitStays(int limit) {
    assertThat(redline.engine().check(REQUEST).limit()).hasValue(limit);
    assertThat(redline.health().up()).isTrue();
  }

  private void awaitError(String... texts) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(redline.rulesStatus().errors())
                    .singleElement()
                    .satisfies(error -> assertThat(error).contains(texts)));
    assertThat(redline.health().details().get("rules").toString()).contains(texts);
  }

  private void awaitHealed() {
    await().atMost(SOON).until(() -> redline.rulesStatus().errors().isEmpty());
    assertThat(redline.health().details().get("rules").toString()).doesNotContain("error");
  }

  @Test
  void changeIsInForceWithinASecond() throws Exception {
    publish(rule(10));
    start();
    awaitLimit(10, SOON);
    for (int limit = 11; limit < 16; limit++) {
      publish(rule(limit));
      awaitLimit(limit, LIVE);
    }
    assertThat(loads.failed).hasValue(0);
    assertThat(loads.succeeded).hasValueGreaterThanOrEqualTo(6);
  }

  @Test
  void survivesAKilledServerAndFindsTheChangeMadeMeanwhile() throws Exception {
    publish(rule(10));
    start();
    awaitLimit(10, SOON);

    gate.shut();
    server.kill();
    awaitError("Nacos DEFAULT_GROUP/" + dataId + ": ", "does not answer");
    assertLimitStays(10);
    assertThat(loads.failed).hasValueGreaterThan(0);

    server.restart();
    publish(rule(20));
    assertLimitStays(10);
    gate.open();
    awaitLimit(20, SOON);
    awaitHealed();
    publish(rule(21));
    awaitLimit(21, LIVE);
  }

  @Test
  void renewsTokensBeforeTheyExpire() throws Exception {
    publish(rule(10));
    start();
    awaitLimit(10, SOON);
    TimeUnit.MILLISECONDS.sleep(NacosServer.TOKEN.multipliedBy(2).toMillis());
    publish(rule(20));
    awaitLimit(20, LIVE.multipliedBy(2));
    assertThat(loads.failed).hasValue(0);
  }

  @Test
  void startsWithWrongPasswordAndHealsWhenItBecomesRight() throws Exception {
    publish(rule(10));
    server.createUser(user, "first-password");
    start(user, "second-password", Map.of());
    awaitError("login of user " + user + " denied (403");
    assertThat(redline.rulesStatus().errors().toString()).doesNotContain("second-password");
    assertThat(redline.engine().check(REQUEST).reason()).isEqualTo(Reason.NO_MATCHING_RULE);

    server.setPassword(user, "second-password");
    awaitLimit(10, SOON);
    awaitHealed();
  }

  @Test
  void keepsRulesWhilePermissionIsRevoked() throws Exception {
    publish(rule(10));
    server.createUser(user, "some-password");
    start(user, "some-password", Map.of());
    awaitLimit(10, SOON);

    server.forbid(user);
    publish(rule(20));
    awaitError("access denied (403)");
    assertLimitStays(10);

    server.permit(user);
    awaitLimit(20, SOON);
    awaitHealed();
  }

  @Test
  void keepsRulesWhileTheDocumentIsBrokenOrGone() throws Exception {
    publish(rule(10));
    start();
    awaitLimit(10, SOON);

    publish("rules: [{ id: r, limt: 1/s }]");
    awaitError(dataId + ":1: rule 'r': ", "limit");
    assertLimitStays(10);

    server.remove("public", dataId);
    awaitError("there is no rule document");
    assertLimitStays(10);

    publish(rule(12));
    awaitLimit(12, SOON);
    awaitHealed();
  }

  @Test
  void failPolicyDecidesWhileThereWasNoDocument() throws Exception {
    start("nacos", "nacos", Map.of("rl.nacos.fail-policy", "fail-closed"));
    awaitError("there is no rule document yet");
    assertThat(redline.engine().check(REQUEST).reason()).isEqualTo(Reason.MISSING_RULE_SET);
    assertThat(redline.health().up()).isFalse();

    publish(rule(10));
    awaitLimit(10, LIVE.multipliedBy(2));
    assertThat(redline.health().up()).isTrue();
  }

  @Test
  void closesWithinASecond() throws Exception {
    publish(rule(10));
    start();
    awaitLimit(10, SOON);
    long started = System.nanoTime();
    redline.close();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(LIVE);
  }
}
