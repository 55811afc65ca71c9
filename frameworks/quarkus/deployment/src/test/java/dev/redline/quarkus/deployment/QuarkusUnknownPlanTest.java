package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.ApplicationScoped;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusUnknownPlanTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(Reports.class))
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("Reports.report()")
                      .hasStackTraceContaining("unknown plan 'gold'"));

  @ApplicationScoped
  static class Reports {
    @RateLimit(plan = "gold")
    String report() {
      return "";
    }
  }

  @Test
  void unknownPlanStopsTheStart() {
    fail("the application started");
  }
}
