package dev.redline.stores.redis;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisSentinel;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store contract on a master behind Sentinel. */
class SentinelContractTest implements StorageProviderContract {
  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisSentinel> REDIS = RedisExtension.sentinel();

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE =
      new SharedRedisStore(() -> RedisSettings.of(REDIS.get().uri()));

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }
}
