package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusFilterOrderTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withEmptyApplication()
          .overrideRuntimeConfigKey("rl.filter.order", "-2")
          .overrideRuntimeConfigKey("rl.filters.login.order", "-1")
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("rl.filter.order: must be 0 or greater")
                      .hasStackTraceContaining("rl.filters.login.order: must be 0 or greater"));

  @Test
  void orderThatQuarkusDoesNotHaveStopsTheStart() {
    fail("the application started");
  }
}
