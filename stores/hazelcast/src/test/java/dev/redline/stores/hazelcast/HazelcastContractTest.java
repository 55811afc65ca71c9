package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.instance.BuildInfoProvider;
import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.internal.BorrowedStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The store contract on a member. */
class HazelcastContractTest implements StorageProviderContract {
  private static Clusters cluster;
  private static HazelcastStore store;

  @BeforeAll
  static void start() {
    cluster = new Clusters(1);
    store = cluster.start(cluster.embedded());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void runsOnConfiguredHazelcastVersion() {
    assertThat(BuildInfoProvider.getBuildInfo().getVersion())
        .startsWith(System.getProperty("redline.hazelcast", "5.7."));
  }

  @Override
  public StoreUnderTest newStore() {
    return StoreUnderTest.onItsOwnClock(new BorrowedStore(store));
  }
}
