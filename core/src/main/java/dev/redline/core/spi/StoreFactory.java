package dev.redline.core.spi;

import dev.redline.core.store.StorageProvider;

/**
 * Creates the store that {@code rl.storage.type} names. A {@link
 * dev.redline.core.store.RemoteStore} gets a circuit breaker and a fallback in memory from the
 * application.
 */
public interface StoreFactory extends PluginFactory<StorageProvider> {}
