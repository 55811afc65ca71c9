package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DecisionListenerTest {
  private final StorageProvider store = new LocalStore();
  private final Logger log = Logger.getLogger(RateLimitEngine.class.getName());

  @BeforeEach
  void expectWarnings() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void close() {
    log.setLevel(null);
    store.close();
  }

  private RateLimitEngine engine(DecisionListener... listeners) {
    return RateLimitEngine.builder(store)
        .book(EngineFixture.book(rule("r", 2).metadata("tier", "premium"), rule("x", 1).path("/x")))
        .listeners(List.of(listeners))
        .build();
  }

  @Test
  void listenersHearQuestionResultAndRules() {
    List<RateLimitResult> results = new ArrayList<>();
    List<List<RateLimitRule>> rules = new ArrayList<>();
    RateLimitEngine engine =
        engine(
            (question, result, applied) -> {
              assertThat(question).isInstanceOf(Question.OfRequest.class);
              results.add(result);
              rules.add(applied);
            });
    RateLimitResult first = engine.check(request("/"));
    RateLimitResult second = engine.checkAsync(request("/")).toCompletableFuture().join();
    assertThat(results).containsExactly(first, second);
    assertThat(rules.get(0)).extracting(RateLimitRule::id).containsExactly("r");
    assertThat(rules.get(0).get(0).metadata()).containsEntry("tier", "premium");
  }

  @Test
  void dryRunsAndExplanationsAreNotTold() {
    List<RateLimitResult> results = new ArrayList<>();
    RateLimitEngine engine = engine((question, result, applied) -> results.add(result));
    engine.decideNow(Question.ofRequest(request("/")), true);
    engine.explain(Question.ofRequest(request("/"))).toCompletableFuture().join();
    assertThat(results).isEmpty();
  }

  @Test
  void aListenerThatThrowsChangesNoDecisionAndSilencesNoOther() {
    List<RateLimitResult> heard = new ArrayList<>();
    RateLimitEngine engine =
        engine(
            (question, result, applied) -> {
              throw new IllegalStateException("on purpose");
            },
            (question, result, applied) -> {
              throw new AssertionError("on purpose");
            },
            (question, result, applied) -> heard.add(result));
    assertThat(engine.check(request("/")).remaining()).hasValue(1);
    assertThat(engine.checkAsync(request("/")).toCompletableFuture().join().remaining())
        .hasValue(0);
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(heard).hasSize(3);
  }
}
