package dev.redline.stores.redis;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store contract on the Redis 6.2 that comes with the test kit. */
class Redis62ContractTest implements StorageProviderContract {
  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS =
      RedisExtension.of(() -> RedisServer.start(RedisBinary.embedded()));

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE =
      new SharedRedisStore(() -> RedisSettings.of(REDIS.get().uri()));

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }
}
