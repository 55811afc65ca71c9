package dev.redline.stores.redis;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The store contract over a Unix domain socket. */
class UnixSocketContractTest implements StorageProviderContract {
  @TempDir static Path folder;

  @Order(1)
  @RegisterExtension
  static final RedisExtension<RedisServer> REDIS =
      RedisExtension.of(
          () ->
              RedisServer.start(
                  RedisBinary.any(), "--unixsocket", folder.resolve("redis.sock").toString()));

  @Order(2)
  @RegisterExtension
  static final SharedRedisStore STORE =
      new SharedRedisStore(
          () -> RedisSettings.of("redis-socket://" + folder.resolve("redis.sock")));

  @Override
  public StoreUnderTest newStore() {
    return STORE.underTest();
  }
}
