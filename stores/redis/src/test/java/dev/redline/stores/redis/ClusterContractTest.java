package dev.redline.stores.redis;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store contract on a cluster of three masters with a replica each. */
class ClusterContractTest implements StorageProviderContract {
  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisCluster> REDIS = RedisExtension.cluster();

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE =
      new SharedRedisStore(() -> RedisSettings.of(REDIS.get().uri()));

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }
}
