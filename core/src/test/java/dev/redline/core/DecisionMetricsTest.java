package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.KeyField;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StorageProvider;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DecisionMetricsTest {
  private final StorageProvider store = new LocalStore();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final AtomicInteger checks = new AtomicInteger();
  private final MetricsExporter metrics =
      new MetricsExporter() {
        @Override
        public RuleMeter meter(String ruleSetId, String ruleId) {
          return verdict -> counts.merge(ruleSetId + "/" + ruleId + " " + verdict, 1, Integer::sum);
        }

        @Override
        public void checked(long nanos) {
          checks.incrementAndGet();
        }
      };

  @AfterEach
  void close() {
    store.close();
  }

  private RateLimitEngine engine(RuleBook book) {
    return RateLimitEngine.builder(store).book(book).metrics(metrics).build();
  }

  @Test
  void countsTheDecisionOfEachMatchingRule() {
    RateLimitEngine engine =
        engine(
            EngineFixture.book(
                rule("a", 1), rule("b", 9).ruleSetId("s"), rule("c", 1).mode(Mode.SHADOW)));
    engine.check(request("/"));
    engine.check(request("/"));
    assertThat(counts)
        .containsOnly(
            Map.entry("default/a ALLOWED", 1),
            Map.entry("default/a DENIED", 1),
            Map.entry("s/b ALLOWED", 2),
            Map.entry("default/c ALLOWED", 1),
            Map.entry("default/c SHADOW_DENIED", 1));
    assertThat(checks).hasValue(2);
  }

  @Test
  void countsRequestsWithoutMatchingRuleAsNone() {
    RateLimitEngine engine = engine(EngineFixture.book(rule("a", 1).path("/a").ruleSetId("s")));
    engine.check(request("/"));
    engine.check("s", request("/"));
    assertThat(counts)
        .containsOnly(Map.entry("none/none ALLOWED", 1), Map.entry("s/none ALLOWED", 1));
  }

  @Test
  void plansAreCountedUnderNoRuleSet() {
    RateLimitEngine engine =
        engine(
            EngineFixture.plans(
                RateLimitPlan.of("gold", perHour(9)), RateLimitPlan.of("daily", perHour(1))));
    engine.allow("k", List.of("gold", "daily"), 1);
    engine.allow("k", List.of("gold", "daily"), 1);
    assertThat(counts)
        .containsOnly(
            Map.entry("none/gold ALLOWED", 2),
            Map.entry("none/daily ALLOWED", 1),
            Map.entry("none/daily DENIED", 1));
  }

  @Test
  void countsAllowAndDenyRules() {
    RateLimitEngine engine =
        engine(
            EngineFixture.book(
                RateLimitRule.builder().id("no").action(Action.DENY).path("/no"),
                RateLimitRule.builder()
                    .id("trial")
                    .action(Action.DENY)
                    .mode(Mode.SHADOW)
                    .path("/no"),
                RateLimitRule.builder().id("yes").action(Action.ALLOW).path("/yes"),
                rule("who", 1)
                    .path("/who")
                    .key(KeyField.userId())
                    .onMissingIdentity(OnMissingIdentity.REJECT)));
    engine.check(request("/no"));
    engine.check(request("/yes"));
    engine.check(request("/who"));
    assertThat(counts)
        .containsOnly(
            Map.entry("default/no DENIED", 1),
            Map.entry("default/trial SHADOW_DENIED", 1),
            Map.entry("default/yes ALLOWED", 1),
            Map.entry("default/who DENIED", 1));
  }

  @Test
  void dryRunAndExplainCountNothing() {
    RateLimitEngine engine =
        engine(
            RuleBook.builder()
                .plans(List.of(RateLimitPlan.of("gold", perHour(9))))
                .rules(
                    List.of(
                        rule("a", 1).path("/a").build(),
                        RateLimitRule.builder().id("no").action(Action.DENY).path("/no").build()))
                .build());
    for (LimitCheck check :
        List.of(
            LimitCheck.ofRequest(request("/a")),
            LimitCheck.ofRequest(request("/no")),
            LimitCheck.ofRequest(request("/nothing")),
            LimitCheck.ofRule("a", List.of(), 1),
            LimitCheck.ofRule("no", List.of(), 1),
            LimitCheck.ofPlans(List.of("gold"), "k", 1))) {
      engine.decideNow(check, true);
      engine.explain(check).toCompletableFuture().join();
    }
    assertThat(counts).isEmpty();
    assertThat(checks).hasValue(0);
  }
}
