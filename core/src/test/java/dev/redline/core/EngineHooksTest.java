package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.InMemoryPlanRegistry;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RateLimitRuleSet;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.rule.RuleMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an application brings itself: plans, rule sets, and a listener for changed rules. */
class EngineHooksTest {
  private final LocalStore store = new LocalStore(1000, () -> EngineFixture.START);

  @AfterEach
  void close() {
    store.close();
  }

  private static RateLimitPlan plan(String id, long perHour) {
    return RateLimitPlan.of(id, perHour(perHour));
  }

  private static long allowed(RateLimitEngine engine, String plan) {
    long allowed = 0;
    while (allowed < 100 && engine.allow("alice", plan).allowed()) {
      allowed++;
    }
    return allowed;
  }

  @Test
  void plansComeFromTheRegistry() {
    InMemoryPlanRegistry registry = new InMemoryPlanRegistry(plan("gold", 3));
    RateLimitEngine engine = RateLimitEngine.builder(store).planRegistry(registry).build();
    assertThat(allowed(engine, "gold")).isEqualTo(3);
    assertThat(engine.plan("gold").tryAcquire("alice")).isFalse();
    assertThat(engine.allow("alice", "gold").plan()).contains("gold");
    registry.register(plan("gold", 5));
    assertThat(allowed(engine, "gold")).as("other limits are other buckets").isEqualTo(5);
    registry.register(plan("silver", 1));
    assertThat(engine.allow("alice", List.of("gold", "silver"), 1).allowed()).isFalse();
    assertThat(allowed(engine, "silver")).as("all or nothing").isEqualTo(1);
    assertThatThrownBy(() -> engine.allow("alice", "bronze"))
        .isInstanceOf(UnknownNameException.class);
  }

  @Test
  void aPlanOfTheRuleBookComesFirst() {
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(EngineFixture.plans(plan("gold", 2)))
            .planRegistry(new InMemoryPlanRegistry(plan("gold", 9), plan("silver", 4)))
            .build();
    assertThat(allowed(engine, "gold")).isEqualTo(2);
    assertThat(allowed(engine, "silver")).isEqualTo(4);
  }

  @Test
  void moreRegisteredPlansThanAreKeptAreLimitedToo() {
    RateLimitEngine engine =
        RateLimitEngine.builder(store).planRegistry(id -> Optional.of(plan(id, 1))).build();
    for (int i = 0; i < 1100; i++) {
      assertThat(engine.allow("k" + i % 7, "p" + i).allowed()).isTrue();
      assertThat(engine.allow("k" + i % 7, "p" + i).allowed()).isFalse();
      if (i % 300 == 0) {
        store.sweep();
      }
    }
  }

  private static RateLimitRule.Builder inSet(String set, String id, long perHour) {
    return rule(id, perHour).ruleSetId(set);
  }

  @Test
  void ruleSetsComeFromTheProvider() {
    Map<String, RateLimitRuleSet> sets = new HashMap<>();
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .ruleSetProvider(id -> Optional.ofNullable(sets.get(id)))
            .build();
    sets.put("a", new RateLimitRuleSet("a", List.of(inSet("a", "r", 1).path("/x").build())));
    assertThat(engine.check("a", request("/y")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    RateLimitResult first = engine.check("a", request("/x"));
    assertThat(first.ruleSetId()).contains("a");
    assertThat(first.ruleId()).contains("r");
    assertThat(engine.check("a", request("/x")).allowed()).isFalse();
    sets.put("a", new RateLimitRuleSet("a", List.of(inSet("a", "r", 2).path("/y").build())));
    assertThat(engine.check("a", request("/x")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(engine.check("a", request("/y")).remaining()).hasValue(1);
    assertThat(
            engine
                .explain(LimitCheck.ofRequest("a", request("/y")))
                .toCompletableFuture()
                .join()
                .rules())
        .extracting(Explanation.Entry::id)
        .containsExactly("r");
    assertThatThrownBy(() -> engine.check("b", request("/")))
        .isInstanceOf(UnknownNameException.class);
    assertThat(engine.check(request("/x")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void defaultRuleSetMayComeFromTheProvider() {
    EngineSettings settings =
        new EngineSettings(
            false,
            Optional.of("a"),
            EngineSettings.MissingRules.REJECT,
            dev.redline.core.rule.OnStoreFailure.LOCAL,
            1);
    RateLimitRuleSet set = new RateLimitRuleSet("a", List.of(inSet("a", "r", 1).build()));
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .settings(settings)
            .ruleSetProvider(id -> id.equals("a") ? Optional.of(set) : Optional.empty())
            .build();
    assertThat(engine.check(request("/")).ruleId()).contains("r");
  }

  @Test
  void rulesOfTheProviderUsePlansOfBookAndRegistry() {
    RateLimitRuleSet set =
        new RateLimitRuleSet(
            "a",
            List.of(
                RateLimitRule.builder().id("r").ruleSetId("a").plan("gold").plan("own").build()));
    InMemoryPlanRegistry registry = new InMemoryPlanRegistry(plan("own", 2));
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(EngineFixture.plans(plan("gold", 3)))
            .planRegistry(registry)
            .ruleSetProvider(id -> Optional.of(set))
            .build();
    assertThat(engine.check("a", request("/")).remaining()).hasValue(1);
    registry.register(plan("own", 1));
    assertThat(engine.check("a", request("/")).limit()).as("a changed plan").hasValue(1);
    engine.use(RuleBook.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> engine.check("a", request("/")))
        .withMessageContaining("unknown plan 'gold'");
  }

  private static RuleBook version(
      long version, RateLimitPlan plan, RateLimitRule.Builder... rules) {
    return RuleBook.builder()
        .version(version)
        .plans(List.of(plan))
        .rules(List.of(rules).stream().map(RateLimitRule.Builder::build).toList())
        .build();
  }

  @Test
  void notifiesListenersOfChangedRulesAndResetBuckets() {
    List<RuleChange> changes = new ArrayList<>();
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(
                version(
                    1,
                    plan("p", 1),
                    rule("gone", 1),
                    rule("keyed", 1),
                    rule("limits", 1),
                    rule("path", 1).path("/a"),
                    rule("same", 1).path("/s").match(match())))
            .ruleChangeListener(changes::add)
            .build();
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).added()).containsExactly("gone", "keyed", "limits", "path", "same");
    engine.use(
        version(
            2,
            plan("p", 2),
            rule("keyed", 1).key(KeyField.ip()),
            rule("limits", 2),
            rule("new", 1),
            rule("path", 1).path("/b"),
            rule("same", 1).path("/s").match(match())));
    assertThat(changes.get(1))
        .isEqualTo(
            new RuleChange(
                2,
                List.of("new"),
                List.of("keyed", "limits", "path"),
                List.of("gone"),
                List.of("keyed", "limits", "new"),
                List.of("p")));
    assertThat(changes.get(1).isEmpty()).isFalse();
    engine.use(engine.book());
    assertThat(changes.get(2).isEmpty()).isTrue();
  }

  private static RuleMatch match() {
    return RuleMatch.builder().header("X-Tenant", "a*").build();
  }

  @Test
  void carriedOverBucketsAreNotReportedAsReset() {
    List<RuleChange> changes = new ArrayList<>();
    RateLimitEngine engine =
        RateLimitEngine.builder(store).ruleChangeListener(changes::add).build();
    for (long limit = 1; limit <= 2; limit++) {
      RateLimitBand band = RateLimitBand.of(limit, 1, java.time.Duration.ofHours(1));
      engine.use(
          RuleBook.builder()
              .carryOver(true)
              .rules(List.of(RateLimitRule.builder().id("r").addBand(band).build()))
              .build());
    }
    assertThat(changes.get(1).changed()).containsExactly("r");
    assertThat(changes.get(1).rulesStartingAnew()).isEmpty();
  }

  @Test
  void throwingListenerStopsNeitherTheRulesNorOtherListeners() {
    List<Long> versions = new ArrayList<>();
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .ruleChangeListener(
                change -> {
                  throw new IllegalStateException("on purpose");
                })
            .ruleChangeListener(change -> versions.add(change.version()))
            .build();
    engine.use(version(7, plan("p", 1), rule("r", 1)));
    assertThat(versions).containsExactly(7L);
    assertThat(engine.check(request("/")).ruleId()).contains("r");
  }
}
