package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.enterprise.context.ApplicationScoped;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusMistakesTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(BeanWithMistakes.class))
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasMessageContainingAll(
                          "BeanWithMistakes.isPrivate()",
                          "private method cannot be intercepted",
                          "BeanWithMistakes.isStatic()",
                          "static method cannot be intercepted",
                          "BeanWithMistakes.badLimit()",
                          "often",
                          "BeanWithMistakes.missingFallback()",
                          "nowhere",
                          "BeanWithMistakes.badExpression(String)",
                          "BeanWithMistakes.unknownParameter(String)"));

  @ApplicationScoped
  static class BeanWithMistakes {
    @RateLimit("1/s")
    private String isPrivate() {
      return "";
    }

    @RateLimit("1/s")
    static String isStatic() {
      return "";
    }

    @RateLimit("often")
    String badLimit() {
      return isPrivate();
    }

    @RateLimit(value = "1/s", fallbackMethod = "nowhere")
    String missingFallback() {
      return "";
    }

    @RateLimit(value = "1/s", key = "#name.toString()")
    String badExpression(String name) {
      return name;
    }

    @RateLimit(value = "1/s", key = "#other")
    String unknownParameter(String name) {
      return name;
    }
  }

  @Test
  void allMistakesAreReportedTogetherAtBuildTime() {
    fail("the application was built");
  }
}
