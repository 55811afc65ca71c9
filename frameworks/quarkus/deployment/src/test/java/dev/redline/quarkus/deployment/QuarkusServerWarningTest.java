package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitEngine;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusServerWarningTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClasses(EventLoopResource.class, BuildLog.class))
          .overrideConfigKey("rl.handler", "remote")
          // Nothing listens there: the application starts all the same.
          .overrideConfigKey("rl.remote.uri", "http://127.0.0.1:" + RedisServer.freePort())
          .setLogRecordPredicate(BuildLog::isWarning)
          .assertLogRecords(
              records ->
                  assertThat(BuildLog.messages(records))
                      .singleElement()
                      .asString()
                      .contains(".plain is limited", "the server of rl.handler=REMOTE"));

  @Inject RateLimitEngine engine;

  @Test
  void nonBlockingMethodThatCannotWaitForTheServerIsABuildWarning() {
    assertThat(engine.enabled()).isTrue();
  }
}
