package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MissingRulesTest {
  private final StorageProvider store = new LocalStore();

  @AfterEach
  void close() {
    store.close();
  }

  private RateLimitEngine engine(MissingRules missing, String defaultSet, RuleBook book) {
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .settings(
                new EngineSettings(
                    false, Optional.ofNullable(defaultSet), missing, OnStoreFailure.LOCAL, 1.0))
            .build();
    if (book != null) {
      engine.use(book);
    }
    return engine;
  }

  @Test
  void missingRuleBehaviorAppliesBeforeAnyBook() {
    RateLimitResult allowed = engine(MissingRules.ALLOW, null, null).check(request("/"));
    assertThat(allowed.reason()).isEqualTo(Reason.NO_MATCHING_RULE);
    RateLimitResult denied = engine(MissingRules.REJECT, null, null).check(request("/"));
    assertThat(denied.reason()).isEqualTo(Reason.MISSING_RULE_SET);
    assertThat(denied.allowed()).isFalse();
  }

  private List<String> logged(Runnable work) {
    Logger log = Logger.getLogger(RateLimitEngine.class.getName());
    List<String> messages = new ArrayList<>();
    Handler handler = new CollectingHandler(messages);
    log.setUseParentHandlers(false);
    log.addHandler(handler);
    try {
      work.run();
    } finally {
      log.removeHandler(handler);
      log.setUseParentHandlers(true);
    }
    return messages;
  }

  private static void checkOften(RateLimitEngine engine) {
    for (int i = 0; i < 10; i++) {
      engine.check(request("/"));
      engine.checkAsync(request("/"));
    }
  }

  @Test
  void logsOnceThatEverythingIsAllowedWithoutRules() {
    assertThat(logged(() -> checkOften(engine(MissingRules.ALLOW, null, null))))
        .containsExactly(
            "no rules are loaded: every request is allowed, see rl.missing-rule-behavior");
    RuleBook book = EngineFixture.book(rule("r", 1));
    assertThat(logged(() -> checkOften(engine(MissingRules.ALLOW, "nope", book))))
        .containsExactly(
            "the rule set 'nope' does not exist: every request is allowed, see"
                + " rl.missing-rule-behavior");
    assertThat(logged(() -> checkOften(engine(MissingRules.REJECT, null, null)))).isEmpty();
    assertThat(logged(() -> checkOften(engine(MissingRules.ALLOW, null, book)))).isEmpty();
  }

  @Test
  void emptyRuleBookCountsAsLoaded() {
    RateLimitEngine engine = engine(MissingRules.REJECT, null, RuleBook.of());
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void aDefaultRuleSetThatDoesNotExistFollowsTheSetting() {
    RuleBook book = EngineFixture.book(rule("r", 1));
    assertThat(engine(MissingRules.ALLOW, "nope", book).check(request("/")).reason())
        .isEqualTo(Reason.NO_MATCHING_RULE);
    assertThat(engine(MissingRules.REJECT, "nope", book).check(request("/")).reason())
        .isEqualTo(Reason.MISSING_RULE_SET);
    assertThat(engine(MissingRules.REJECT, "default", book).check(request("/")).ruleId())
        .contains("r");
  }

  @Test
  void aNamedRuleSetThatDoesNotExistIsNamed() {
    RateLimitEngine engine = engine(MissingRules.ALLOW, null, EngineFixture.book(rule("r", 1)));
    assertThatExceptionOfType(UnknownNameException.class)
        .isThrownBy(() -> engine.check("nope", request("/")))
        .withMessageContaining("nope");
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> engine.checkAsync("nope", request("/")).toCompletableFuture().join())
        .withCauseInstanceOf(UnknownNameException.class);
  }

  @Test
  void anEmptyRuleSetExists() {
    RuleBook book = RuleBook.builder().ruleSet("later").build();
    RateLimitEngine engine = engine(MissingRules.REJECT, null, book);
    assertThat(engine.check("later", request("/")).reason()).isEqualTo(Reason.NO_MATCHING_RULE);
  }

  @Test
  void killSwitchAllowsEverythingAndTakesNothing() {
    RateLimitRule.Builder rule = rule("r", 1);
    RateLimitEngine engine = engine(MissingRules.REJECT, null, EngineFixture.book(rule));
    engine.enable(false);
    assertThat(engine.enabled()).isFalse();
    for (int i = 0; i < 3; i++) {
      RateLimitResult result = engine.check(request("/"));
      assertThat(result.reason()).isEqualTo(Reason.DISABLED);
      assertThat(result.allowed()).isTrue();
      assertThat(result.ruleId()).isEmpty();
    }
    assertThat(engine.allow("k", "unknown-plan").reason()).isEqualTo(Reason.DISABLED);
    engine.enable(true);
    assertThat(engine.check(request("/")).remaining()).hasValue(0);
  }
}
