package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.quarkus.test.QuarkusUnitTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusUnknownPropertyTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withEmptyApplication()
          .overrideRuntimeConfigKey("rl.storage.typ", "LOCAL")
          .overrideRuntimeConfigKey("rl.fail.strategy", "SOMEHOW")
          .assertException(
              failure ->
                  assertThat(failure)
                      .hasStackTraceContaining("rl.storage.typ")
                      .hasStackTraceContaining("SOMEHOW"));

  @Test
  void unknownPropertiesAndWrongValuesStopTheStart() {
    fail("the application started");
  }
}
