package dev.redline.stores.redis;

import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;
import dev.redline.redis.RedisProperties;

/**
 * Creates the store {@code REDIS} from {@code rl.redis.*}, {@code rl.batch.*} and {@code
 * rl.lease.*}. Waits for Redis at most one connect time-out; an application starts without it, too.
 */
public final class RedisStoreFactory implements StoreFactory {
  @Override
  public String name() {
    return "REDIS";
  }

  @Override
  public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
    RedisSettings settings = RedisSettings.read(properties, RedisProperties.read(properties));
    return context -> {
      RedisStore store = RedisStore.start(settings);
      store.awaitReady(settings.connection().connectTimeout());
      return store;
    };
  }
}
