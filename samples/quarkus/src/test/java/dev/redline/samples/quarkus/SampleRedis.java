package dev.redline.samples.quarkus;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;

/** Has the sample keep its buckets in a Redis of the test. */
public class SampleRedis implements QuarkusTestResourceLifecycleManager {
  private RedisServer redis;

  @Override
  public Map<String, String> start() {
    redis = RedisServer.start(RedisBinary.any());
    // A slow machine must not make a node decide alone.
    return Map.of(
        "rl.storage.type", "REDIS",
        "rl.redis.uri", redis.uri().toString(),
        "rl.redis.command-timeout", "5s");
  }

  @Override
  public void inject(TestInjector injector) {
    injector.injectIntoFields(
        redis, field -> field.getType().getName().equals(RedisServer.class.getName()));
  }

  @Override
  public void stop() {
    redis.close();
  }
}
