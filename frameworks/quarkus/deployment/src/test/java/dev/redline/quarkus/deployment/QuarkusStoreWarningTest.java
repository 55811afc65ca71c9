package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitEngine;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.QuarkusUnitTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusStoreWarningTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClasses(EventLoopResource.class, BuildLog.class))
          .overrideConfigKey("rl.storage.type", "redis")
          // Nothing listens there: the application starts all the same.
          .overrideConfigKey("rl.redis.uri", "redis://127.0.0.1:" + RedisServer.freePort())
          .setLogRecordPredicate(BuildLog::isWarning)
          .assertLogRecords(
              records ->
                  assertThat(BuildLog.messages(records))
                      .singleElement()
                      .asString()
                      .startsWith(EventLoopResource.class.getName() + ".plain is limited")
                      .contains("cannot wait for the store REDIS"));

  @Inject RateLimitEngine engine;

  @Test
  void nonBlockingMethodThatCannotWaitForTheStoreIsABuildWarning() {
    assertThat(engine.enabled()).isTrue();
  }
}
