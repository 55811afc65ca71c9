package dev.redline.stores.caffeine;

import dev.redline.testkit.ManualClock;
import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;

class CaffeineStoreContractTest implements StorageProviderContract {
  @Override
  public StoreUnderTest newStore() {
    ManualClock clock = new ManualClock();
    CaffeineStore store = new CaffeineStore(100_000, clock);
    return StoreUnderTest.onManualClock(store, clock).withHousekeeping(store::sweep);
  }
}
