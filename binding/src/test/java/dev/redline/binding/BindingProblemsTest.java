package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with annotations is reported at the start, all of it, with its place. */
class BindingProblemsTest {
  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine =
      RateLimitEngine.builder(store)
          .book(
              RuleBook.builder()
                  .plans(List.of(new RateLimitPlan("gold", List.of(RateLimitBand.parse("5/s")))))
                  .build())
          .build();
  private final CallPlans plans = CallPlans.builder(engine).build();

  @AfterEach
  void close() {
    store.close();
  }

  @SuppressWarnings("UnusedMethod") // private ones are annotated by mistake
  static class Broken {
    @RateLimit("ten per second")
    public void badLimit() {}

    @RateLimit(value = "10/s", plan = "gold")
    public void two() {}

    @RateLimit
    public void nothing() {}

    @RateLimit(plan = "golden")
    public void unknownPlan() {}

    @RateLimit(ruleSet = "nope")
    public void unknownRuleSet() {}

    @RateLimit(ruleSet = "web", key = "ip")
    public void keyOfRuleSet() {}

    @RateLimit(plan = "gold", id = "pay")
    public void idOfPlan() {}

    @RateLimit(ruleSet = "annotations", id = "pay")
    public void idOfRuleSet() {}

    @RateLimit(value = "10/s", key = "#oder")
    public void unknownParameter(String order) {}

    @RateLimit(value = "10/s", key = "#order.id")
    public void unknownProperty(String order) {}

    @RateLimit(value = "10/s", key = "order")
    public void unquoted(String order) {}

    @RateLimit(value = "10/s", condition = "#order.isEmpty()")
    public void call(String order) {}

    @RateLimit(value = "10/s", key = "#{T(java.lang.Runtime).getRuntime()}")
    public void type() {}

    @RateLimit(value = "10/s", fallbackMethod = "gone")
    public void noFallback() {}

    @RateLimit(value = "10/s", fallbackMethod = "many")
    public void ambiguousFallback(int n) {}

    void many(int n) {}

    void many(int n, RuntimeException denial) {}

    @RateLimit(value = "10/s", fallbackMethod = "wrongResult")
    public String wrongFallback() {
      return "";
    }

    Object wrongResult() {
      return "";
    }

    @RateLimit(value = "10/s", tokens = 11)
    public void impossible() {}

    @RateLimit(plan = "gold", tokens = 6)
    public void impossiblePlan() {}

    @RateLimit(value = "10/s", tokens = 0)
    public void noTokens() {}

    @RateLimit("10/s")
    public void overloaded() {}

    @RateLimit("10/s")
    public void overloaded(int n) {}

    @RateLimit(value = "10/s", id = "not an id")
    public void badId() {}

    @RateLimit("${limit}")
    public void noProperty() {}

    @RateLimit("10/s")
    @RateLimit("100/m")
    public void twoWithOneId() {}

    @RateLimit(
        value = "10/s",
        onStoreFailure = {OnStoreFailure.OPEN, OnStoreFailure.CLOSED})
    public void twoStrategies() {}

    @RateLimit("10/s")
    private void hidden() {}

    @RateLimit("10/s")
    static void fixed() {}

    @RateLimit("10/s")
    @RateLimit.None
    public void contradictory() {}
  }

  private InvalidBindingException problems() {
    plans.add(Broken.class);
    return catchThrowableOfType(InvalidBindingException.class, plans::check);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "badLimit() | ten per second",
        "two() | exactly one of value, plan(s) and ruleSet must be given, several are",
        "nothing() | exactly one of value, plan(s) and ruleSet must be given, none is",
        "unknownPlan() | unknown plan 'golden'; there are [gold]",
        "unknownRuleSet() | unknown rule set 'nope'",
        "keyOfRuleSet() | key has no effect with ruleSet",
        "idOfPlan() | id \"pay\" has no effect without value, whose buckets it names: remove it",
        "idOfRuleSet() | id \"pay\" has no effect without value",
        "unknownParameter(String) | unknown #oder; the method has the parameters [order]",
        "unknownProperty(String) | java.lang.String has no property 'id'",
        "unquoted(String) | unknown key \"order\"",
        "call(String) | condition \"#order.isEmpty()\": unexpected '('",
        "type() | unexpected 'T'",
        "noFallback() | Broken has no method gone()",
        "ambiguousFallback(int) | ambiguous: many(int), many(int, RuntimeException)",
        "wrongFallback() | with a result of type String; not suitable: wrongResult()",
        "impossible() | a call costs 11 tokens",
        "impossiblePlan() | a call costs 6 tokens, more than plan 'gold' has room for",
        "noTokens() | tokens must be 1 to",
        "overloaded(int) | the id 'Broken.overloaded' belongs to a limit of",
        "badId() | not an id",
        "noProperty() | ${limit}",
        "twoWithOneId() | the id 'Broken.twoWithOneId' belongs to a limit of",
        "twoStrategies() | at most one value",
        "hidden() | calls of a private method cannot be intercepted",
        "fixed() | calls of a static method cannot be intercepted",
        "contradictory() | the method has @RateLimit and @RateLimit.None",
      })
  void namesPlaceAndProblem(String method, String message) {
    assertThat(problems().problems())
        .anySatisfy(
            problem -> {
              assertThat(problem.location()).startsWith(Broken.class.getName() + "." + method);
              assertThat(problem.message()).contains(message);
            });
  }

  @Test
  void reportsAllProblemsTogether() {
    InvalidBindingException found = problems();
    assertThat(found.problems()).hasSize(27);
    assertThat(found).hasMessageStartingWith("@RateLimit cannot be used as written, 27 problems:");
    assertThat(found.getMessage().lines()).hasSize(28);
  }

  @Test
  void aClassThatComesLaterFailsAtItsFirstCall() throws Exception {
    Method bad = Broken.class.getMethod("badLimit");
    assertThat(
            catchThrowableOfType(InvalidBindingException.class, () -> plans.of(bad, Broken.class)))
        .hasMessageContaining("badLimit()");
    assertThat(plans.isLimited(bad, Broken.class)).isTrue();
  }

  @Test
  void problemsOfAnAdapterAreReportedToo() {
    plans.addProblem("a.B.c()", "no proxy can intercept a final method");
    assertThat(catchThrowableOfType(InvalidBindingException.class, plans::check))
        .hasMessage(
            "@RateLimit cannot be used as written, 1 problem:\n"
                + "- a.B.c(): no proxy can intercept a final method");
  }

  @Test
  void missingParameterNamesAreAnErrorThatNamesTheFlag() {
    MethodModel withoutNames =
        new MethodModel(
            "Orders", "pay", "Orders.pay(String)", List.of(), List.<Type>of(String.class));
    LimitSpec byName = spec("#order");
    assertThat(plans.problemsOf(withoutNames, List.of(byName)))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("-parameters", "#p0"));
    assertThat(plans.problemsOf(withoutNames, List.of(spec("#p0"), spec("#ip")))).isEmpty();
    assertThat(plans.problemsOf(withoutNames, List.of(spec("#p1"))))
        .singleElement()
        .satisfies(
            problem -> assertThat(problem.message()).contains("the method has 1 parameters"));
  }

  private static LimitSpec spec(String key) {
    return new LimitSpec(
        "test",
        List.of("10/s"),
        List.of(),
        "",
        List.of(key),
        "",
        1,
        "",
        "",
        List.of(),
        List.of(),
        "");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "#order.class",
        "#order.getClass()",
        "new java.io.File('x')",
        "@bean.call()",
        "#order ? 1 : 2",
        "#order = 5",
        "#order[0]",
        "#order + 'x'",
        "'open",
        "(#order",
        "#order)",
        "#",
        "1..2",
        "1x",
        "#order.",
        "#order..x",
        "#order && ",
        "#header[X]",
        "#header['X'",
        "yes",
      })
  void isNotPortable(String text) {
    MethodModel model =
        new MethodModel("A", "b", "A.b", List.of("order"), List.<Type>of(StringBuilder.class));
    LimitSpec spec =
        new LimitSpec(
            "test",
            List.of("1/s"),
            List.of(),
            "",
            List.of("global"),
            "",
            1,
            text,
            "",
            List.of(),
            List.of(),
            "");
    assertThat(plans.problemsOf(model, List.of(spec))).hasSize(1);
  }

  @Test
  void longAndDeepExpressionsAreRejected() {
    assertThat(plans.problemsOf(model(), List.of(spec("#p0 == '" + "x".repeat(10_000) + "'"))))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("at most 1000 characters"));
    assertThat(plans.problemsOf(model(), List.of(spec("#{" + "(".repeat(400) + "1")))).hasSize(1);
    assertThat(plans.problemsOf(model(), List.of(spec("#{" + "!".repeat(400) + "true}"))))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("nested more than"));
  }

  private static MethodModel model() {
    return new MethodModel("A", "b", "A.b", List.of("order"), List.<Type>of(String.class));
  }
}
