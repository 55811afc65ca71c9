package example;

import dev.redline.testkit.ManualClock;
import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;

/** A store from outside the project's packages passes the whole contract. */
class MapStoreTest implements StorageProviderContract {
  @Override
  public StoreUnderTest newStore() {
    ManualClock clock = new ManualClock();
    MapStore store = new MapStore(clock);
    return StoreUnderTest.onManualClock(store, clock).withHousekeeping(store::removeFull);
  }
}
