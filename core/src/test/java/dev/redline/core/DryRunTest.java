package dev.redline.core;

import static dev.redline.core.EngineFixture.perHour;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.List;
import org.junit.jupiter.api.Test;

class DryRunTest {
  private static String json(RateLimitResult result) {
    return DecisionJson.write(new StringBuilder(), result).toString();
  }

  private static void assertSameAsRealCall(EngineFixture fixture, LimitCheck check) {
    for (int i = 0; i < 6; i++) {
      String first = json(fixture.engine().decideNow(check, true));
      String second = json(fixture.engine().decide(check, true).toCompletableFuture().join());
      String real = json(fixture.engine().decideNow(check, false));
      assertThat(first).isEqualTo(real);
      assertThat(second).isEqualTo(real);
    }
  }

  @Test
  void dryRunHasTheResultOfTheRealCallAndTakesNothing() {
    EngineFixture fixture =
        EngineFixture.of(
            RuleBook.builder()
                .plans(
                    List.of(
                        RateLimitPlan.of("gold", perHour(4)),
                        RateLimitPlan.of("daily", perHour(3))))
                .rules(
                    List.of(
                        rule("one", 3).path("/one").key(KeyField.ip()).build(),
                        rule("several", 4).path("/many").addBand(perHour(9)).build(),
                        rule("trial", 2).path("/many").mode(Mode.SHADOW).build(),
                        RateLimitRule.builder().id("no").action(Action.DENY).path("/no").build()))
                .build());
    assertSameAsRealCall(
        fixture,
        LimitCheck.ofRequest(RequestContext.builder().path("/one").clientIp("10.0.0.1").build()));
    assertSameAsRealCall(fixture, LimitCheck.ofRequest(EngineFixture.request("/many")));
    assertSameAsRealCall(fixture, LimitCheck.ofRequest(EngineFixture.request("/no")));
    assertSameAsRealCall(fixture, LimitCheck.ofRequest(EngineFixture.request("/nothing")));
    assertSameAsRealCall(fixture, LimitCheck.ofRule("one", List.of("10.0.0.9"), 1));
    assertSameAsRealCall(fixture, LimitCheck.ofPlans(List.of("gold", "daily"), "k", 1));
    assertSameAsRealCall(fixture, LimitCheck.ofPlans(List.of("gold"), "k", 5));
  }
}
