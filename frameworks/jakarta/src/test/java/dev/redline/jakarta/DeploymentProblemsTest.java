package dev.redline.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RateLimitPlan;
import jakarta.enterprise.context.Dependent;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class DeploymentProblemsTest {
  /** A bean with many mistakes. */
  @Dependent
  static class Mistakes {
    @RateLimit("1/s")
    final String isFinal() {
      return "";
    }

    @RateLimit("1/s")
    private String isPrivate() {
      return "";
    }

    @RateLimit("1/s")
    static String isStatic() {
      return "";
    }

    @RateLimit(plan = "missing")
    String unknownPlan() {
      return isPrivate();
    }

    @RateLimit("often")
    String badLimit() {
      return "";
    }

    @RateLimit("${not.set}")
    String missingProperty() {
      return "";
    }

    @RateLimit(value = "1/s", fallbackMethod = "nowhere")
    String missingFallback() {
      return "";
    }

    @RateLimit(value = "1/s", key = "#name.toLowerCase()")
    String methodCall(String name) {
      return "";
    }
  }

  /** A class that has no proxies. */
  @Dependent
  static final class FinalBean {
    @RateLimit("1/s")
    String limited() {
      return "";
    }
  }

  @Test
  void allMistakesAreReportedTogetherWithClassAndMethod() {
    String name = Mistakes.class.getName() + ".";

    Throwable failure =
        catchThrowable(() -> Deployment.start(Map.of(), Mistakes.class, FinalBean.class));

    assertThat(failure)
        .hasMessageContaining("9 problems")
        .hasMessageContaining(name + "isFinal: calls of a final method")
        .hasMessageContaining(name + "isPrivate(): calls of a private method")
        .hasMessageContaining(name + "isStatic(): calls of a static method")
        .hasMessageContaining(name + "unknownPlan(): unknown plan 'missing'")
        .hasMessageContaining(name + "badLimit(): ")
        .hasMessageContaining(name + "missingProperty(): ")
        .hasMessageContaining("the property 'not.set' is not set")
        .hasMessageContaining(name + "missingFallback(): fallbackMethod \"nowhere\"")
        .hasMessageContaining(name + "methodCall(String): key \"#name.toLowerCase()\"")
        .hasMessageContaining(FinalBean.class.getName() + ".limited: calls of a final class");
  }

  @Test
  void unknownPropertyStopsTheDeployment() {
    assertThatThrownBy(() -> Deployment.start(Map.of("rl.storage.tpye", "LOCAL"), Good.class))
        .hasMessageContaining("rl.storage.tpye")
        .hasMessageContaining("rl.storage.type");
  }

  @Test
  void allWrongSettingsOfANamedFilterStopTheDeployment() {
    assertThatThrownBy(
            () ->
                Deployment.start(
                    Map.of(
                        "rl.filters.login.order", "early",
                        "rl.filters.login.include-patterns", "/a/**/b",
                        "rl.filters.login.rule-set", "login"),
                    Good.class))
        .hasMessageContaining("rl.filters.login.order")
        .hasMessageContaining("early")
        .hasMessageContaining("rl.filters.login.include-patterns")
        .hasMessageContaining("/a/**/b")
        .hasMessageContaining("rl.filters.login.rule-set");
  }

  /** Knows no plan. */
  @Dependent
  static class FirstPlans implements PlanRegistry {
    @Override
    public Optional<RateLimitPlan> plan(String id) {
      return Optional.empty();
    }
  }

  /** Knows no plan either. */
  @Dependent
  static class SecondPlans implements PlanRegistry {
    @Override
    public Optional<RateLimitPlan> plan(String id) {
      return Optional.empty();
    }
  }

  @Test
  void severalBeansThatWouldReplaceOnePartStopTheDeploymentAndAreNamed() {
    assertThatThrownBy(
            () -> Deployment.start(Map.of(), Good.class, FirstPlans.class, SecondPlans.class))
        .hasMessageContaining("FirstPlans")
        .hasMessageContaining("SecondPlans");
  }

  @Test
  void invalidRulesStopTheDeployment() {
    assertThatThrownBy(
            () ->
                Deployment.start(
                    Map.of("rl.rules[0].id", "hello", "rl.rules[0].limit", "often"), Good.class))
        .hasMessageContaining("often");
  }

  @Test
  void applicationThatFailedCanBeDeployedAgain() {
    assertThatThrownBy(() -> Deployment.start(Map.of("rl.nonsense", "1"), Good.class))
        .hasMessageContaining("rl.nonsense");

    try (Deployment deployment = Deployment.start(Map.of(), Good.class)) {
      assertThat(deployment.bean(Good.class).limited()).isEqualTo("done");
    }
  }

  /** A bean without mistakes. */
  @Dependent
  static class Good {
    @RateLimit(value = "1/s", key = "'one'")
    String limited() {
      return "done";
    }
  }
}
