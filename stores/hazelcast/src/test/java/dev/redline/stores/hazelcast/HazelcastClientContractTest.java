package dev.redline.stores.hazelcast;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.internal.BorrowedStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The store contract on a client of two members. */
class HazelcastClientContractTest implements StorageProviderContract {
  private static Clusters cluster;
  private static HazelcastStore store;

  @BeforeAll
  static void start() {
    cluster = new Clusters(2);
    cluster.start(cluster.embedded());
    cluster.start(cluster.embedded());
    cluster.awaitSafe();
    store = cluster.start(cluster.client());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  public StoreUnderTest newStore() {
    return StoreUnderTest.onItsOwnClock(new BorrowedStore(store));
  }
}
