package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RuleBook;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules and policies that let callers wait. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WaitingByRuleTest extends WaitingFixture {
  @Test
  void aRuleLetsCallersWaitUpToItsTime() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(rule("r", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build()),
            waiting(true, 10));
    assertThat(engine.check(EngineFixture.request("/")).allowed()).isTrue();
    List<CompletableFuture<RateLimitResult>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(checkWaiting(engine));
    }
    assertThat(reason(waiting.get(3))).as("the most is 3 s").isEqualTo(Reason.WAIT_TIMEOUT);
    assertThat(waiting.get(3).join().ruleId()).contains("r");
    assertThat(engine.check(EngineFixture.request("/")).reason())
        .as("check never waits")
        .isEqualTo(Reason.LIMIT_EXCEEDED);
    timer.advance(Duration.ofSeconds(3));
    assertThat(waiting.subList(0, 3)).allMatch(each -> reason(each) == Reason.ALLOWED);
  }

  @Test
  void noWaitForARuleThatRejects() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(
                rule("waits", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build(),
                rule("rejects", 1).onLimitExceed(OnLimitExceed.REJECT).build()),
            waiting(true, 10));
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(timer.pending()).isZero();
  }

  @ParameterizedTest
  @EnumSource(OnLimitExceed.class)
  void defaultPolicyAppliesToRulesWithoutPolicy(OnLimitExceed policy) {
    RateLimitEngine engine =
        engine(
            RuleBook.of(rule("r", 1).build()),
            EngineSettings.DEFAULT.withWaiting(
                policy, new EngineSettings.Waiting(true, Duration.ofSeconds(3), 10)));
    assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
    assertThat(checkWaiting(engine).isDone()).isEqualTo(policy == OnLimitExceed.REJECT);
  }

  @Test
  void aDisabledWaitDeniesWithOneWarning() {
    List<String> warnings = new ArrayList<>();
    java.util.logging.Logger logger =
        java.util.logging.Logger.getLogger(WaitingAcquirer.class.getName());
    java.util.logging.Handler handler =
        new java.util.logging.Handler() {
          @Override
          public void publish(java.util.logging.LogRecord record) {
            warnings.add(record.getLevel() + " " + String.valueOf(record.getParameters()[0]));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      RateLimitEngine engine =
          engine(
              RuleBook.of(rule("r", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build()),
              waiting(false, 10));
      assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.ALLOWED);
      for (int i = 0; i < 3; i++) {
        assertThat(reason(checkWaiting(engine))).isEqualTo(Reason.LIMIT_EXCEEDED);
      }
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(warnings).containsExactly("WARNING rule r");
  }

  @Test
  void waitsForSeveralBucketsOneAfterTheOther() {
    RateLimitEngine engine =
        engine(
            RuleBook.of(
                rule("a", 1).onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL).build(),
                rule("b", 2)
                    .key(KeyField.ip())
                    .onLimitExceed(OnLimitExceed.WAIT_FOR_REFILL)
                    .build()),
            waiting(true, 10));
    RequestContext request = RequestContext.builder().path("/").clientIp("192.0.2.1").build();
    assertThat(engine.check(request).allowed()).isTrue();
    CompletableFuture<RateLimitResult> waiting =
        engine.handle(LimitCheck.ofRequest(request)).toCompletableFuture();
    timer.advance(Duration.ofMillis(900));
    // The other bucket is spent while this one is waited for.
    while (engine.decideNow(LimitCheck.ofRule("b", List.of("192.0.2.1"), 1), false).allowed()) {}
    timer.advance(Duration.ofMillis(200));
    assertThat(waiting).isNotDone();
    timer.advance(Duration.ofMillis(400));
    assertThat(reason(waiting)).isEqualTo(Reason.ALLOWED);
    assertThat(timer.pending()).isZero();
  }
}
