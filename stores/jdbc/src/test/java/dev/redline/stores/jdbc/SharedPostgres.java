package dev.redline.stores.jdbc;

import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.History;
import dev.redline.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One PostgreSQL for the tests of a class, and the stores that a test starts on it. */
final class SharedPostgres implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  private final List<JdbcStore> stores = new ArrayList<>();
  private PostgresServer server;
  private int tables;

  @Override
  public void beforeAll(ExtensionContext context) {
    server = PostgresServer.start();
  }

  PostgresServer server() {
    return server;
  }

  /** Returns settings with a table of their own and a time-out that a busy machine can keep. */
  JdbcSettings settings() {
    return JdbcSettings.of(server.url())
        .withCredentials(server.user(), "")
        .withTable("buckets_" + ++tables)
        .withTimeout(Duration.ofSeconds(5));
  }

  /** Starts a store, which is closed after the test. */
  JdbcStore start(JdbcSettings settings) {
    JdbcStore store = JdbcStore.start(settings);
    stores.add(store);
    if (!store.awaitReady(Duration.ofSeconds(30))) {
      throw new AssertionError("the store is not ready: " + store.health());
    }
    return store;
  }

  /** Starts stores as several processes would have them, recorded in a history. */
  List<StorageProvider> nodes(int count, JdbcSettings settings, History history) {
    List<StorageProvider> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(history.record("node-" + i, start(settings)));
    }
    return nodes;
  }

  /** Runs a statement; returns the first value of the first row, if there is one. */
  Object sql(String statement) {
    try (Connection connection = DriverManager.getConnection(server.url(), server.user(), "");
        Statement one = connection.createStatement()) {
      if (!one.execute(statement)) {
        return one.getUpdateCount();
      }
      try (ResultSet result = one.getResultSet()) {
        return result.next() ? result.getObject(1) : null;
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    stores.forEach(JdbcStore::close);
    stores.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    server.close();
  }
}
