package dev.redline.telemetry.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineSettings;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class MicrometerMetricsExporterTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private static RateLimitRule.Builder rule(String id) {
    return RateLimitRule.builder()
        .id(id)
        .path("/api/**")
        .addBand(RateLimitBand.of(1, 1, Duration.ofHours(1)));
  }

  private static RequestContext request(String path) {
    return RequestContext.builder().path(path).method("GET").build();
  }

  private List<String> lines(String prefix) {
    return registry.scrape().lines().filter(line -> line.startsWith(prefix)).toList();
  }

  private RateLimitEngine engine(StorageProvider store, OnStoreFailure onFailure) {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    return RateLimitEngine.builder(store)
        .metrics(exporter)
        .settings(
            new EngineSettings(
                false, Optional.empty(), EngineSettings.MissingRules.ALLOW, onFailure, 1.0))
        .build();
  }

  @Test
  void showsLeasedTokensAndWhatBecameOfThem() {
    TokenLeases leases =
        new TokenLeases() {
          @Override
          public long acquired() {
            return 100;
          }

          @Override
          public long spent() {
            return 60;
          }

          @Override
          public long refunded() {
            return 20;
          }

          @Override
          public long dropped() {
            return 5;
          }

          @Override
          public long held() {
            return 15;
          }
        };
    new MicrometerMetricsExporter(registry).showLeases(leases);
    assertThat(lines("ratelimit_lease"))
        .containsExactlyInAnyOrder(
            "ratelimit_lease_total{result=\"acquired\"} 100.0",
            "ratelimit_lease_total{result=\"spent\"} 60.0",
            "ratelimit_lease_total{result=\"refunded\"} 20.0",
            "ratelimit_lease_total{result=\"dropped\"} 5.0",
            "ratelimit_lease_tokens 15.0");
    assertThat(leases.held()).isEqualTo(15); // keeps the counts reachable, as their store does
  }

  @Test
  void showsStoreHealthAndHashOfTheRules() {
    AtomicBoolean up = new AtomicBoolean(true);
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    exporter.showStoreHealth("redis", up::get);
    exporter.inForce(RuleBook.builder().contentHash((1L << 48) - 1).build());
    assertThat(lines("ratelimit_store_up"))
        .containsExactly("ratelimit_store_up{store=\"redis\"} 1.0");
    up.set(false);
    assertThat(lines("ratelimit_store_up"))
        .containsExactly("ratelimit_store_up{store=\"redis\"} 0.0");
    assertThat(lines("ratelimit_rules_hash"))
        .containsExactly("ratelimit_rules_hash 2.81474976710655E14");
  }

  @Test
  void everyMeterExistsAtZeroBeforeTheFirstDecision() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    exporter.showLocalKeys(() -> 7);
    exporter.showStore("local");

    for (String counter : List.of("failclosed", "failopen", "fallback")) {
      for (String reason : List.of("rediserror", "badresponse", "badtypes", "storeerror")) {
        assertThat(lines("ratelimit_" + counter + "_total"))
            .contains("ratelimit_" + counter + "_total{reason=\"" + reason + "\"} 0.0");
      }
    }
    assertThat(registry.scrape())
        .contains("ratelimit_check_seconds_count 0")
        .contains("ratelimit_store_seconds_count{outcome=\"success\",store=\"local\"} 0")
        .contains("ratelimit_rules_version 0.0")
        .contains("ratelimit_rules_last_success_seconds 0.0")
        .contains("ratelimit_rules_reload_total{result=\"success\"} 0.0")
        .contains("ratelimit_rules_reload_total{result=\"failure\"} 0.0")
        .contains("ratelimit_local_keys 7.0")
        .contains("ratelimit_waiting 0.0")
        .contains("ratelimit_events_dropped_total 0.0");
  }

  @Test
  void countsTheDecisionOfEveryMatchingRule() {
    RateLimitEngine engine = engine(new LocalStore(), OnStoreFailure.LOCAL);
    engine.use(
        RuleBook.builder()
            .version(3)
            .rules(List.of(rule("enforced").build(), rule("watched").mode(Mode.SHADOW).build()))
            .plans(
                List.of(
                    new RateLimitPlan(
                        "gold", List.of(RateLimitBand.of(5, 5, Duration.ofSeconds(1))))))
            .build());

    engine.check(request("/api/x"));
    engine.check(request("/api/x"));
    engine.check(request("/elsewhere"));
    engine.allow("u1", List.of("gold"), 1);
    engine.decideNow(LimitCheck.ofRequest(request("/api/x")), true);

    assertThat(lines("ratelimit_requests_total"))
        .contains(
            "ratelimit_requests_total{result=\"allowed\",rule=\"enforced\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"denied\",rule=\"enforced\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"shadow_denied\",rule=\"watched\",ruleset=\"default\"}"
                + " 1.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"none\",ruleset=\"none\"} 1.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"gold\",ruleset=\"none\"} 1.0");
    assertThat(registry.scrape())
        .contains("ratelimit_rules_version 3.0")
        .contains("ratelimit_check_seconds_count 4\n")
        .contains("ratelimit_store_seconds_count{outcome=\"success\",store=\"local\"} 3\n");
  }

  @Test
  void storeFailuresAreCountedByWhatDecidedInstead() {
    RuleBook book =
        RuleBook.of(
            rule("open").onStoreFailure(OnStoreFailure.OPEN).path("/open").build(),
            rule("closed").onStoreFailure(OnStoreFailure.CLOSED).path("/closed").build());
    RateLimitEngine engine = engine(new FailingStore("redis"), OnStoreFailure.CLOSED);
    engine.use(book);

    engine.check(request("/open"));
    engine.check(request("/api/x"));

    assertThat(lines("ratelimit_failopen_total"))
        .contains("ratelimit_failopen_total{reason=\"badtypes\"} 1.0");
    assertThat(lines("ratelimit_failclosed_total"))
        .contains("ratelimit_failclosed_total{reason=\"badtypes\"} 1.0");
    assertThat(lines("ratelimit_requests_total"))
        .contains(
            "ratelimit_requests_total{result=\"error\",rule=\"closed\",ruleset=\"default\"} 1.0");
    assertThat(lines("ratelimit_store_seconds_count"))
        .contains("ratelimit_store_seconds_count{outcome=\"failure\",store=\"redis\"} 2");
  }

  @Test
  void rulesBeyondTheBoundAreCountedTogether() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, 2);
    RateLimitEngine engine = RateLimitEngine.builder(new LocalStore()).metrics(exporter).build();
    engine.use(
        RuleBook.of(rule("a").build(), rule("b").build(), rule("c").build(), rule("d").build()));

    engine.check(request("/api/x"));

    assertThat(lines("ratelimit_requests_total{result=\"allowed\""))
        .containsExactlyInAnyOrder(
            "ratelimit_requests_total{result=\"allowed\",rule=\"a\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"b\",ruleset=\"default\"} 1.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"other\",ruleset=\"default\"} 2.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"none\",ruleset=\"default\"} 0.0",
            "ratelimit_requests_total{result=\"allowed\",rule=\"none\",ruleset=\"none\"} 0.0");
  }

  @Test
  void removedRuleFreesItsTagForAnother() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, 1);
    RateLimitEngine engine = RateLimitEngine.builder(new LocalStore()).metrics(exporter).build();
    engine.use(RuleBook.of(rule("before").build()));
    engine.use(RuleBook.of(rule("after").build()));

    engine.check(request("/api/x"));

    assertThat(registry.scrape()).doesNotContain("rule=\"before\"").contains("rule=\"after\"");
  }

  @Test
  void rulesBeyondTheBoundAreRemovedWithTheirRuleSet() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry, 1);
    RateLimitEngine engine = RateLimitEngine.builder(new LocalStore()).metrics(exporter).build();
    for (String set : List.of("set-1", "set-2", "set-3")) {
      engine.use(
          RuleBook.of(
              rule("a-" + set).ruleSetId(set).build(), rule("b-" + set).ruleSetId(set).build()));
      engine.check(request("/api/x"));
      assertThat(lines("ratelimit_requests_total{result=\"allowed\",rule=\"other\""))
          .containsExactly(
              "ratelimit_requests_total{result=\"allowed\",rule=\"other\",ruleset=\""
                  + set
                  + "\"} 1.0");
    }
    assertThat(registry.scrape()).doesNotContain("set-1").doesNotContain("set-2");
  }

  @Test
  void countsLoadsByResultAndRecordsTheLastSuccess() {
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
    exporter.rulesLoaded(true);
    exporter.rulesLoaded(false);
    exporter.rulesLoaded(false);
    exporter.waiting(2);
    exporter.waiting(-1);
    exporter.eventDropped();

    assertThat(registry.scrape())
        .contains("ratelimit_rules_reload_total{result=\"success\"} 1.0")
        .contains("ratelimit_rules_reload_total{result=\"failure\"} 2.0")
        .contains("ratelimit_waiting 1.0")
        .contains("ratelimit_events_dropped_total 1.0");
    assertThat(registry.get("ratelimit.rules.last.success").gauge().value())
        .isBetween(1.7e9, System.currentTimeMillis() / 1000.0 + 1);
  }

  @Test
  void theLastSuccessIsTheLastReadWithoutAnError() {
    MockClock clock = new MockClock();
    MeterRegistry timed = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
    MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(timed);
    Gauge gauge = timed.get("ratelimit.rules.last.success").gauge();
    clock.addSeconds(10);
    exporter.rulesLoaded(true);
    assertThat(gauge.value()).isEqualTo(10);
    clock.addSeconds(10);
    exporter.rulesLoaded(false);
    assertThat(gauge.value()).isEqualTo(10);
    exporter.rulesConfirmed();
    assertThat(gauge.value()).isEqualTo(20);
    assertThat(timed.get("ratelimit.rules.reload").tag("result", "success").counter().count())
        .isEqualTo(1);
  }

  @Test
  void failuresOfOtherStoresThanRedisHaveOneReason() {
    RateLimitEngine engine = engine(new FailingStore("jdbc"), OnStoreFailure.CLOSED);
    engine.use(RuleBook.of(rule("closed").path("/api/**").build()));
    engine.check(request("/api/x"));
    assertThat(lines("ratelimit_failclosed_total"))
        .contains(
            "ratelimit_failclosed_total{reason=\"storeerror\"} 1.0",
            "ratelimit_failclosed_total{reason=\"badtypes\"} 0.0");
  }

  private record FailingStore(String type) implements StorageProvider {
    @Override
    public String type() {
      return type;
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.BAD_STATE, "not a bucket"));
    }

    @Override
    public void close() {}
  }
}
