package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusWrongFilterTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withEmptyApplication()
          .overrideRuntimeConfigKey("rl.filters.login.order", "early")
          .overrideRuntimeConfigKey("rl.filters.login.enabled", "perhaps")
          .overrideRuntimeConfigKey("rl.filters.login.include-patterns", "/a/**/b")
          .overrideRuntimeConfigKey("rl.filters.login.rule-set", "login")
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("rl.filters.login.order")
                      .hasStackTraceContaining("early")
                      .hasStackTraceContaining("rl.filters.login.enabled")
                      .hasStackTraceContaining("perhaps")
                      .hasStackTraceContaining("rl.filters.login.include-patterns")
                      .hasStackTraceContaining("/a/**/b")
                      .hasStackTraceContaining("rl.filters.login.rule-set"));

  @Test
  void allWrongSettingsOfANamedFilterStopTheStart() {
    fail("the application started");
  }
}
