package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import io.lettuce.core.LettuceVersion;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store contract on one Redis server. */
class StandaloneContractTest implements StorageProviderContract {
  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE =
      new SharedRedisStore(() -> RedisSettings.of(REDIS.get().uri()));

  @Test
  void runsOnConfiguredLettuceVersion() {
    assertThat(LettuceVersion.getVersion()).startsWith(System.getProperty("redline.lettuce", "7."));
  }

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }
}
