package dev.redline.core.internal.memory;

import dev.redline.core.memory.LocalStore;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;

/** Creates the store {@code LOCAL}. */
public final class LocalStoreFactory implements StoreFactory {
  @Override
  public String name() {
    return "LOCAL";
  }

  @Override
  public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
    return context -> new LocalStore(context.maxKeys(), context.clock());
  }
}
