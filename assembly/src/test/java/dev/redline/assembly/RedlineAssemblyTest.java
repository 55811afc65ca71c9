package dev.redline.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.InMemoryPlanRegistry;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedlineAssemblyTest {
  private static final Plugins PLUGINS = Plugins.load(RedlineAssemblyTest.class.getClassLoader());
  private static final RequestContext REQUEST = RequestContext.builder().path("/x").build();

  @TempDir Path directory;

  private static RedlineAssembly.Builder builder(Map<String, String> properties) {
    return RedlineAssembly.builder(
        AssemblySettings.parse(properties, PLUGINS, HostProfile.application()));
  }

  private static ConfigProvider document(String name, String content) {
    return new ConfigProvider() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Optional<Snapshot> load() {
        return Optional.of(new Snapshot(content, List.of(new Document(name, content))));
      }
    };
  }

  @Test
  void decidesByInlineRulesOfFlatProperties() {
    Map<String, String> properties =
        Map.of(
            "rl.rules[0].id", "per-header",
            "rl.rules[0].paths[0]", "/y,z",
            "rl.rules[0].match.headers.X-Tier-Name", "g*",
            "rl.rules[0].limit", "1/h",
            "rl.rules[0].metadata.cost-center", "a = b: c # d",
            "rl.rule-sets[0].id", "other",
            "rl.rule-sets[0].rules[0].id", "global",
            "rl.rule-sets[0].rules[0].limit-scope", "GLOBAL",
            "rl.rule-sets[0].rules[0].bands[0].capacity", "5",
            "rl.rule-sets[0].rules[0].bands[0].refill-period", "1h");

    try (RedlineAssembly redline = builder(properties).start()) {
      RequestContext gold =
          RequestContext.builder().path("/y,z").header("X-Tier-Name", "gold").build();
      assertThat(redline.engine().check("default", gold).ruleId()).hasValue("per-header");
      assertThat(redline.engine().check("default", gold).allowed()).isFalse();
      assertThat(redline.engine().check("default", REQUEST).reason())
          .isEqualTo(Reason.NO_MATCHING_RULE);
      assertThat(redline.engine().check("other", REQUEST).limit()).hasValue(5);
      assertThat(redline.engine().book().rules())
          .filteredOn(rule -> rule.id().equals("per-header"))
          .singleElement()
          .satisfies(
              rule -> assertThat(rule.metadata()).isEqualTo(Map.of("cost-center", "a = b: c # d")));
      assertThat(redline.rulesStatus().errors()).isEmpty();
    }
  }

  @Test
  void startsWithoutAnyRules() {
    try (RedlineAssembly redline = builder(Map.of()).start()) {
      assertThat(redline.engine().check(REQUEST).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
      assertThat(redline.health().up()).isTrue();
      assertThat(redline.rulesStatus().errors()).isEmpty();
    }
  }

  @Test
  void laterSourceReplacesRulesOfEarlierOne() throws IOException {
    Path file = Files.writeString(directory.resolve("r.yaml"), "rules: [{ id: r, limit: 2/h }]\n");
    RedlineAssembly.Builder builder =
        builder(
                Map.of(
                    "rl.config.path",
                    file.toString(),
                    "rl.rules[0].id",
                    "r",
                    "rl.rules[0].limit",
                    "1/h"))
            .source("ANNOTATION", document("annotations", "rules: [{ id: a, limit: 9/h }]"))
            .addSource(document("more", "rules: [{ id: m, limit: 3/h }]"));

    try (RedlineAssembly redline = builder.start()) {
      assertThat(redline.engine().book().rules())
          .extracting(rule -> rule.id())
          .containsExactlyInAnyOrder("a", "r", "m");
      assertThat(redline.engine().check(REQUEST).limit()).hasValue(2);
    }
  }

  @Test
  void invalidRulesOfTheApplicationStopTheStart() {
    assertThatThrownBy(() -> builder(Map.of("rl.rules[0].id", "r")).start())
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining("rule 'r'");
    Path missing = directory.resolve("missing.yaml");
    assertThatThrownBy(() -> builder(Map.of("rl.config.path", missing.toString())).start())
        .isInstanceOf(InvalidRulesException.class)
        .hasMessageContaining("rl.config.path: '" + missing + "' does not exist");
  }

  @Test
  void objectsOfTheHostWin() {
    AtomicInteger counted = new AtomicInteger();
    MetricsExporter metrics = (set, rule) -> result -> counted.incrementAndGet();
    InMemoryPlanRegistry plans = new InMemoryPlanRegistry();
    AtomicInteger changes = new AtomicInteger();
    ManualClock clock = new ManualClock();
    try (LocalStore own = new LocalStore(10, clock);
        RedlineAssembly redline =
            builder(Map.of("rl.rules[0].id", "r", "rl.rules[0].limit", "1/s"))
                .store(own)
                .metrics(metrics)
                .planRegistry(plans)
                .ruleChangeListener(change -> changes.incrementAndGet())
                .start()) {
      assertThat(redline.store()).isSameAs(own);
      assertThat(redline.engine().check(REQUEST).allowed()).isTrue();
      assertThat(redline.engine().check(REQUEST).allowed()).isFalse();
      assertThat(redline.localKeys()).isEqualTo(1);
      assertThat(counted).hasValue(2);
      assertThat(changes).hasValueGreaterThan(0);
    }
  }

  /** A store of another process that never answers. */
  private static final class DeadStore implements RemoteStore {
    final AtomicBoolean closed = new AtomicBoolean();

    @Override
    public String type() {
      return "dead";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, "no answer"));
    }

    @Override
    public List<String> nodes(Acquisition acquisition) {
      return List.of("one");
    }

    @Override
    public void observe(CallObserver observer) {}

    @Override
    public void close() {
      closed.set(true);
    }
  }

  @Test
  void remoteStoreHasBreakerAndFallback() {
    DeadStore dead = new DeadStore();
    try (RedlineAssembly redline =
        builder(Map.of("rl.rules[0].id", "r", "rl.rules[0].limit", "1/h")).store(dead).start()) {
      assertThat(redline.store()).isInstanceOf(CircuitBreakingStore.class);
      assertThat(redline.breakerState()).isEqualTo(BreakerState.CLOSED);
      RateLimitResult first = redline.engine().check(REQUEST);
      assertThat(first.reason()).isEqualTo(Reason.LOCAL_FALLBACK);
      assertThat(first.degraded()).isTrue();
      assertThat(redline.engine().check(REQUEST).allowed()).isFalse();
      assertThat(redline.localKeys()).isEqualTo(1);
    }
    assertThat(dead.closed).as("the host closes its own store").isFalse();
  }

  @Test
  void reloadsChangedFiles() throws IOException {
    Path file = Files.writeString(directory.resolve("r.yaml"), "rules: [{ id: r, limit: 2/h }]\n");
    try (RedlineAssembly redline = builder(Map.of("rl.config.path", file.toString())).start()) {
      assertThat(redline.engine().check(REQUEST).limit()).hasValue(2);
      Files.writeString(file, "rules: [{ id: r, limit: 7/h }]\n");
      await().untilAsserted(() -> assertThat(redline.engine().check(REQUEST).limit()).hasValue(7));
    }
  }

  @Test
  void killSwitchTurnsLimitingOff() {
    try (RedlineAssembly redline = builder(Map.of("rl.enabled", "false")).start()) {
      assertThat(redline.engine().check(REQUEST).reason()).isEqualTo(Reason.DISABLED);
    }
  }
}
