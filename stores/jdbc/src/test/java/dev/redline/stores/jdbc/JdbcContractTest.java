package dev.redline.stores.jdbc;

import dev.redline.testkit.StorageProviderContract;
import dev.redline.testkit.StoreUnderTest;
import dev.redline.testkit.internal.BorrowedStore;
import dev.redline.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The store contract on PostgreSQL. */
class JdbcContractTest implements StorageProviderContract {
  private static PostgresServer server;
  private static JdbcStore store;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
    store =
        JdbcStore.start(
            JdbcSettings.of(server.url())
                .withCredentials(server.user(), "")
                .withTimeout(Duration.ofSeconds(30)));
    if (!store.awaitReady(Duration.ofSeconds(30))) {
      throw new AssertionError("the store is not ready: " + store.health());
    }
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  @Override
  public StoreUnderTest newStore() {
    return StoreUnderTest.onItsOwnClock(new BorrowedStore(store))
        .withHousekeeping(
            () -> {
              try {
                store.sweep();
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            });
  }
}
