package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RateLimitPlan;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusAmbiguousPartsTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClasses(PlansOfCustomers.class, PlansOfTeams.class))
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining(PlanRegistry.class.getName())
                      .hasStackTraceContaining(PlansOfCustomers.class.getName())
                      .hasStackTraceContaining(PlansOfTeams.class.getName()));

  /** Knows no plan. */
  @Singleton
  public static class PlansOfCustomers implements PlanRegistry {
    @Override
    public Optional<RateLimitPlan> plan(String id) {
      return Optional.empty();
    }
  }

  /** Knows no plan either. */
  @Singleton
  public static class PlansOfTeams implements PlanRegistry {
    @Override
    public Optional<RateLimitPlan> plan(String id) {
      return Optional.empty();
    }
  }

  @Test
  void severalRegistriesOfPlansStopTheStartAndAreNamed() {
    fail("the application started");
  }
}
