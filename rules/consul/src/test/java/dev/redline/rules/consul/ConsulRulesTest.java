package dev.redline.rules.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.MetricsExporter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of a real Consul in an engine: while Consul fails, the last good rules stay in force. */
@Tag("debian")
@Tag("faults")
class ConsulRulesTest {
  private static final Duration LIVE = Duration.ofSeconds(1);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String KEY = "redline/rules";
  private static final String SECRET = "aaaaaaaa-2222-3333-4444-555555555555";
  private static final RequestContext REQUEST = RequestContext.builder().path("/x").build();

  private static ConsulAgent agent;

  private final LoadRecorder loads = new LoadRecorder();
  private RedlineAssembly redline;

  /** Counts loads. */
  private static final class LoadRecorder implements MetricsExporter {
    final AtomicInteger succeeded = new AtomicInteger();
    final AtomicInteger failed = new AtomicInteger();
    final AtomicInteger confirmed = new AtomicInteger();

    @Override
    public RuleMeter meter(String ruleSetId, String ruleId) {
      return RuleMeter.NONE;
    }

    @Override
    public void rulesLoaded(boolean success) {
      (success ? succeeded : failed).incrementAndGet();
    }

    @Override
    public void rulesConfirmed() {
      confirmed.incrementAndGet();
    }
  }

  @BeforeAll
  static void startAgent() throws Exception {
    agent = ConsulAgent.start();
  }

  @AfterAll
  static void stopAgent() {
    agent.close();
  }

  @BeforeEach
  void clear() throws Exception {
    agent.delete(KEY);
    agent.revokeToken(SECRET);
    agent.createToken(SECRET, KEY);
  }

  @AfterEach
  void stop() {
    if (redline != null) {
      redline.close();
    }
  }

  private void start(Map<String, String> more) {
    Map<String, String> properties = new HashMap<>();
    properties.put("rl.config.source", "CONSUL");
    properties.put("rl.consul.uri", agent.uri());
    properties.put("rl.consul.token", SECRET);
    properties.putAll(more);
    Plugins plugins = Plugins.load(getClass().getClassLoader());
    redline =
        RedlineAssembly.builder(
                AssemblySettings.parse(properties, plugins, HostProfile.application()))
            .metrics(loads)
            .start();
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
    agent.put(KEY, rule(10));
    start(Map.of());
    awaitLimit(10, SOON);
    for (int limit = 11; limit < 16; limit++) {
      agent.put(KEY, rule(limit));
      awaitLimit(limit, LIVE);
    }
    assertThat(loads.failed).hasValue(0);
    assertThat(loads.succeeded).hasValueGreaterThanOrEqualTo(6);
  }

  @Test
  void survivesAKilledAgentAndFindsTheChangeMadeMeanwhile() throws Exception {
    agent.put(KEY, rule(10));
    start(Map.of());
    awaitLimit(10, SOON);

    agent.kill();
    awaitError("Consul redline/rules: ", "does not answer");
    assertLimitStays(10);
    assertThat(loads.failed).hasValueGreaterThan(0);

    agent.restartWith(KEY, rule(20));
    awaitLimit(20, SOON);
    awaitHealed();
    agent.put(KEY, rule(21));
    awaitLimit(21, LIVE);
  }

  @Test
  void startsWithoutDocumentAndWithoutPermission() throws Exception {
    agent.revokeToken(SECRET);
    start(Map.of());
    awaitError("access denied (403)", "rl.consul.token");

    agent.createToken(SECRET, KEY);
    awaitError("there is no rule document yet");
    agent.put(KEY, rule(10));
    awaitLimit(10, SOON);
    awaitHealed();
  }

  @Test
  void keepsRulesWhileTheTokenIsRevoked() throws Exception {
    agent.put(KEY, rule(10));
    start(Map.of());
    awaitLimit(10, SOON);

    agent.revokeToken(SECRET);
    agent.put(KEY, rule(20));
    awaitError("access denied (403)");
    assertLimitStays(10);
    assertThat(redline.rulesStatus().errors().toString()).doesNotContain(SECRET);

    agent.createToken(SECRET, KEY);
    awaitLimit(20, SOON);
    awaitHealed();
  }

  @Test
  void keepsRulesWhileTheDocumentIsBrokenOrGone() throws Exception {
    agent.put(KEY, rule(10));
    start(Map.of());
    awaitLimit(10, SOON);

    agent.put(KEY, "rules: [{ id: r, limt: 1/s }]");
    awaitError("redline/rules:1: rule 'r': ", "limit");
    assertLimitStays(10);

    agent.delete(KEY);
    awaitError("Consul redline/rules: there is no rule document");
    assertLimitStays(10);

    agent.put(KEY, rule(12));
    awaitLimit(12, SOON);
    awaitHealed();
  }

  @Test
  void readsAFolderAsOneDocument() throws Exception {
    agent.put(KEY + "/", "");
    agent.put(KEY + "/plans.yaml", "plans: [{ id: gold, limit: 7/h }]");
    agent.put(KEY + "/teams/shop.yaml", "rules: [{ id: r, plan: gold }]");
    agent.put("redline/rules-of-others", rule(99));
    start(Map.of("rl.consul.recurse", "true"));
    awaitLimit(7, SOON);

    agent.put(KEY + "/plans.yaml", "plans: [{ id: gold, limit: 8/h }]");
    awaitLimit(8, LIVE);
  }

  @Test
  void closesWithinASecond() throws Exception {
    agent.put(KEY, rule(10));
    start(Map.of());
    awaitLimit(10, SOON);
    long started = System.nanoTime();
    redline.close();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(LIVE);
    List<String> left =
        Thread.getAllStackTraces().keySet().stream()
            .map(Thread::getName)
            .filter(name -> name.startsWith("redline-rules"))
            .toList();
    assertThat(left).isEmpty();
  }
}
