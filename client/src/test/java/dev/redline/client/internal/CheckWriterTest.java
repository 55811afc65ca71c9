package dev.redline.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CheckWriterTest {
  private static final CallLimit.OfPlan GOLD =
      new CallLimit.OfPlan("gold", "k", 1, CallLimit.Policy.DEFAULT);

  private static CallLimit.OfPlan plan(String plan, String key, long cost) {
    return new CallLimit.OfPlan(plan, key, cost, CallLimit.Policy.DEFAULT);
  }

  private static String write(LimitCheck check) {
    return CheckWriter.write(check, false);
  }

  @Test
  void writesAllThatIsKnownOfARequest() {
    RequestContext request =
        RequestContext.builder()
            .path("/a/../b")
            .method("get")
            .clientIp("203.0.113.7")
            .userId("u\"1")
            .apiKey("k")
            .header("X-One", "1")
            .header("X-Two", "a")
            .header("x-two", "b")
            .attribute("tier", "gold")
            .cost(3)
            .build();
    assertThat(CheckWriter.write(LimitCheck.ofRequest("api", request), true))
        .isEqualTo(
            "{\"ruleSetId\":\"api\",\"request\":{\"path\":\"/b\",\"method\":\"GET\","
                + "\"clientIp\":\"203.0.113.7\",\"userId\":\"u\\\"1\",\"apiKey\":\"k\","
                + "\"headers\":{\"X-One\":\"1\",\"X-Two\":[\"a\",\"b\"]},"
                + "\"attributes\":{\"tier\":\"gold\"}},\"cost\":3,\"dryRun\":true}");
    assertThat(write(LimitCheck.ofRequest(RequestContext.EMPTY))).isEqualTo("{\"request\":{}}");
  }

  /** Returns a request with so many values of its first header, and so many headers. */
  private static RequestContext headers(int values, int names) {
    RequestContext.Builder request = RequestContext.builder();
    IntStream.range(0, values).forEach(i -> request.header("X-0", "v"));
    IntStream.range(1, names).forEach(i -> request.header("X-" + i, "v"));
    return request.build();
  }

  @Test
  void rejectsMoreHeadersThanTheServerAccepts() {
    assertThat(write(LimitCheck.ofRequest(headers(100, 1000)))).contains("\"X-999\":\"v\"");
    for (RequestContext request : List.of(headers(101, 1), headers(1, 1001))) {
      for (LimitCheck check :
          List.of(
              LimitCheck.ofRequest(request),
              LimitCheck.ofLimits(
                  List.of(new CallLimit.OfRuleSet("api", 1, CallLimit.Policy.DEFAULT)), request))) {
        assertThatThrownBy(() -> write(check))
            .isInstanceOf(OversizedRequestException.class)
            .hasMessageContaining("at most")
            .extracting(Throwable::getStackTrace)
            .isEqualTo(new StackTraceElement[0]);
      }
    }
  }

  @Test
  void writesRulesAndTheirLimits() {
    assertThat(write(LimitCheck.ofRule("r", List.of(), 1))).isEqualTo("{\"ruleId\":\"r\"}");
    assertThat(write(LimitCheck.ofRule("r", List.of("a", "b"), 2)))
        .isEqualTo("{\"ruleId\":\"r\",\"identity\":[\"a\",\"b\"],\"cost\":2}");
    LimitCheck withLimits =
        new LimitCheck.OfRule(
            "r",
            List.of("a"),
            Optional.of(
                List.of(
                    RateLimitBand.parse("10/s burst 20"),
                    RateLimitBand.slidingWindow(5, Duration.ofHours(24)))),
            1);
    assertThat(write(withLimits))
        .isEqualTo(
            "{\"ruleId\":\"r\",\"identity\":[\"a\"],\"bands\":["
                + "{\"label\":\"r-1\",\"capacity\":30,\"refillTokens\":10,\"refillPeriod\":\"PT1S\"},"
                + "{\"label\":\"r-2\",\"capacity\":5,\"algorithm\":\"SLIDING_WINDOW\","
                + "\"window\":\"PT24H\"}]}");
  }

  @Test
  void writesRuleSetsThatAreLeftOut() {
    RequestContext request = RequestContext.builder().path("/x").build();
    assertThat(write(new LimitCheck.OfRequest(Optional.empty(), request, Set.of("login", "admin"))))
        .isEqualTo("{\"exceptRuleSets\":[\"admin\",\"login\"],\"request\":{\"path\":\"/x\"}}");
  }

  @Test
  void writesPlans() {
    assertThat(write(LimitCheck.ofPlans(List.of("gold", "daily"), "k", 1)))
        .isEqualTo("{\"plans\":[\"gold\",\"daily\"],\"key\":\"k\"}");
  }

  @Test
  void writesOneLimitOfACall() {
    RateLimitRule rule =
        RateLimitRule.builder().id("A.b").addBand(RateLimitBand.parse("5/m")).cost(2).build();
    assertThat(
            write(
                LimitCheck.ofLimits(
                    List.of(new CallLimit.OfRule(rule, "n:x", 3)), RequestContext.EMPTY)))
        .isEqualTo(
            "{\"ruleId\":\"A.b\",\"identity\":[\"n:x\"],\"bands\":[{\"label\":\"A.b\",\"capacity\":5,"
                + "\"refillTokens\":5,\"refillPeriod\":\"PT1M\"}],\"cost\":6}");
    CallLimit set = new CallLimit.OfRuleSet("api", 2, CallLimit.Policy.DEFAULT);
    RequestContext request = RequestContext.builder().path("/x").cost(5).build();
    assertThat(write(LimitCheck.ofLimits(List.of(set), request)))
        .isEqualTo("{\"ruleSetId\":\"api\",\"request\":{\"path\":\"/x\"},\"cost\":10}");
  }

  @Test
  void joinsPlansUnderOneKeyAndRejectsOtherCombinations() {
    assertThat(
            write(LimitCheck.ofLimits(List.of(GOLD, plan("daily", "k", 1)), RequestContext.EMPTY)))
        .isEqualTo("{\"plans\":[\"gold\",\"daily\"],\"key\":\"k\"}");
    for (CallLimit other :
        List.of(
            plan("daily", "other", 1),
            plan("daily", "k", 2),
            new CallLimit.OfRuleSet("api", 1, CallLimit.Policy.DEFAULT))) {
      LimitCheck check = LimitCheck.ofLimits(List.of(GOLD, other), RequestContext.EMPTY);
      assertThatThrownBy(() -> write(check))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("same key and tokens");
    }
  }

  @Test
  void rejectsADeclaredRuleThatIsMoreThanItsLimits() {
    RateLimitRule disabled =
        RateLimitRule.builder().id("r").addBand(RateLimitBand.parse("5/m")).enabled(false).build();
    LimitCheck check =
        LimitCheck.ofLimits(
            List.of(new CallLimit.OfRule(disabled, "n:x", 1)), RequestContext.EMPTY);
    assertThatThrownBy(() -> write(check)).hasMessageContaining("rule 'r'");
  }
}
