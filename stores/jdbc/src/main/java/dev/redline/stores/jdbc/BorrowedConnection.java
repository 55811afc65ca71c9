package dev.redline.stores.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A connection of any pool, set up for the store: transactions by statements, and no endless wait.
 * Closing it returns it as it was, because not every pool undoes what a borrower has set.
 */
final class BorrowedConnection implements AutoCloseable {
  private final Connection connection;
  private final boolean autoCommit;
  private final int networkTimeoutMillis;

  private BorrowedConnection(Connection connection, JdbcSettings settings) throws SQLException {
    this.connection = connection;
    this.autoCommit = connection.getAutoCommit();
    this.networkTimeoutMillis = connection.getNetworkTimeout();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
    connection.setNetworkTimeout(Runnable::run, (int) settings.timeout().toMillis());
  }

  static BorrowedConnection from(DataSource dataSource, JdbcSettings settings) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      return new BorrowedConnection(connection, settings);
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  Connection connection() {
    return connection;
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, networkTimeoutMillis);
        if (!autoCommit) {
          connection.setAutoCommit(false);
        }
      }
    }
  }
}
