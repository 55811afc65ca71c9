package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.wiring.ServerOptions;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Rule files that change while the service decides by them. */
class LivingRulesTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final int CALLERS = 64;

  @TempDir Path directory;

  private static TestServer start(Map<String, String> properties) {
    Map<String, String> flags = new HashMap<>(TestServer.onFreePorts());
    flags.putAll(properties);
    return TestServer.start(new ServerOptions(flags, Map.of(), Optional.empty()));
  }

  /** Two rules that always change together: a response with different numbers saw half a change. */
  private static String rules(int capacity) {
    return "rules:\n"
        + "  - { id: first, path: /**, priority: 1, limit: "
        + capacity
        + "/s burst 1000000000 }\n"
        + "  - { id: second, path: /**, limit: "
        + capacity
        + "/s burst 1000000000 }\n";
  }

  private static JsonNode ruleHealth(TestServer server) {
    return TestServer.json(server.get(server.management("/actuator/health")))
        .at("/components/redline/details/rules");
  }

  private static double reloads(TestServer server, String result) {
    String line = "ratelimit_rules_reload_total{result=\"" + result + "\"} ";
    return server
        .get(server.management("/actuator/prometheus"))
        .body()
        .lines()
        .filter(metric -> metric.startsWith(line))
        .mapToDouble(metric -> Double.parseDouble(metric.substring(line.length())))
        .findFirst()
        .orElse(0);
  }

  private static final String EXPLAIN = "{\"request\":{\"path\":\"/x\"}}";

  /** Returns the capacities of both rules as one answer shows them. */
  private static Set<Long> capacities(JsonNode explanation) {
    Set<Long> seen = ConcurrentHashMap.newKeySet();
    for (JsonNode rule : explanation.get("rules")) {
      seen.add(rule.at("/bands/0/limit").asLong());
    }
    return seen;
  }

  @Test
  void appliesFileEditedUnderLoadAtomically() throws Exception {
    Path file = Files.writeString(directory.resolve("rules.yaml"), rules(1));
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong decisions = new AtomicLong();
    Set<Integer> statuses = ConcurrentHashMap.newKeySet();
    Set<String> halves = ConcurrentHashMap.newKeySet();
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try (TestServer server = start(Map.of("rl.config.path", file.toString()))) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        boolean explains = i % 4 == 0;
        calls.add(
            callers.submit(
                () -> {
                  while (!stop.get()) {
                    HttpResponse<String> response =
                        server.post(explains ? "/v1/explain" : "/v1/check", EXPLAIN);
                    statuses.add(response.statusCode());
                    decisions.incrementAndGet();
                    if (explains) {
                      Set<Long> seen = capacities(TestServer.json(response));
                      if (seen.size() != 1) {
                        halves.add(seen.toString());
                      }
                    }
                  }
                }));
      }
      for (int capacity = 2; capacity <= 4; capacity++) {
        Set<Long> expected = Set.of(1_000_000_000L + capacity);
        Files.writeString(file, rules(capacity));
        long written = System.nanoTime();
        await()
            .pollInterval(Duration.ofMillis(20))
            .atMost(SOON)
            .until(() -> capacities(server.ask("/v1/explain", EXPLAIN)).equals(expected));
        System.out.println(
            "an edit under load was in force after "
                + (System.nanoTime() - written) / 1_000_000
                + " ms");
      }

      Files.writeString(file, rules(9).substring(0, 60));
      await().atMost(SOON).until(() -> ruleHealth(server).has("error"));
      assertThat(ruleHealth(server).get("error").asString()).startsWith(file + ":");
      assertThat(ruleHealth(server).get("version").asLong()).isEqualTo(4);
      assertThat(reloads(server, "failure")).isEqualTo(1);
      assertThat(capacities(server.ask("/v1/explain", EXPLAIN))).containsExactly(1_000_000_004L);

      Files.writeString(file, rules(5));
      await().atMost(SOON).until(() -> !ruleHealth(server).has("error"));
      assertThat(ruleHealth(server).get("version").asLong()).isEqualTo(5);
      assertThat(reloads(server, "success")).isEqualTo(5);
      stop.set(true);
      for (Future<?> call : calls) {
        call.get(30, TimeUnit.SECONDS);
      }
      assertThat(statuses).containsExactly(200);
      assertThat(halves).isEmpty();
      assertThat(decisions.get()).isGreaterThan(CALLERS);
    } finally {
      stop.set(true);
      callers.shutdownNow();
    }
  }

  /** Updates the mount like the kubelet: a new directory, then one rename of the link to it. */
  private void mount(int version, String rules) throws IOException {
    Path data = Files.createDirectory(directory.resolve("..2026_" + version));
    Files.writeString(data.resolve("rules.yaml"), rules);
    Path link = directory.resolve("..data_tmp");
    Files.createSymbolicLink(link, data.getFileName());
    Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    if (!Files.isSymbolicLink(directory.resolve("rules.yaml"))) {
      Files.createSymbolicLink(directory.resolve("rules.yaml"), Path.of("..data", "rules.yaml"));
    }
  }

  @Test
  void followsMountedConfigMapUnlessWatchingIsDisabled() throws IOException {
    mount(0, rules(1));
    Map<String, String> properties =
        Map.of("rl.config.source", "CONFIG_MAP", "rl.config.path", directory.toString());
    Map<String, String> unwatched = new HashMap<>(properties);
    unwatched.put("rl.k8s.watch-enabled", "false");
    unwatched.put("rl.reload.polling-interval", "20ms");
    try (TestServer follows = start(properties);
        TestServer stays = start(unwatched)) {
      for (int i = 2; i < 5; i++) {
        Set<Long> expected = Set.of(1_000_000_000L + i);
        mount(i, rules(i));
        await()
            .atMost(SOON)
            .until(() -> capacities(follows.ask("/v1/explain", EXPLAIN)).equals(expected));
      }
      assertThat(capacities(stays.ask("/v1/explain", EXPLAIN))).containsExactly(1_000_000_001L);
    }
  }
}
