package dev.redline.testkit.internal;

import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.StorageProvider;

/** A store that several tests share: it stays open when a test closes it. */
public final class BorrowedStore extends ForwardingStore {
  private final StorageProvider store;

  /** Lends a store. */
  public BorrowedStore(StorageProvider store) {
    this.store = store;
  }

  @Override
  protected StorageProvider delegate() {
    return store;
  }

  @Override
  public void close() {}
}
