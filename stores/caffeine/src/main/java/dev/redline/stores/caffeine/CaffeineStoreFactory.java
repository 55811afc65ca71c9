package dev.redline.stores.caffeine;

import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;

/** Creates the store {@code CAFFEINE}. */
public final class CaffeineStoreFactory implements StoreFactory {
  @Override
  public String name() {
    return "CAFFEINE";
  }

  @Override
  public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
    return context -> new CaffeineStore(context.maxKeys(), context.clock());
  }
}
