package dev.redline.testkit;

import dev.redline.core.memory.LocalStore;

class LocalStoreContractTest implements StorageProviderContract {
  @Override
  public StoreUnderTest newStore() {
    ManualClock clock = new ManualClock();
    LocalStore store = new LocalStore(100_000, clock);
    return StoreUnderTest.onManualClock(store, clock).withHousekeeping(store::sweep);
  }
}
