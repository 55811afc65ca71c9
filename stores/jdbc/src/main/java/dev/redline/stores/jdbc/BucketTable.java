package dev.redline.stores.jdbc;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The statements on the table of the buckets. Connections are in auto-commit mode, and transactions
 * are begun and ended by statements, so that a transaction needs two round trips: one that begins
 * it and locks the rows, one that writes them and commits.
 *
 * <p>Rows are locked in the order of their keys, so transactions wait for each other but never in a
 * circle. The table has no index but that of its key: then an update is heap-only and leaves the
 * index alone. Not thread-safe for one connection.
 */
final class BucketTable {
  /** Pages that one statement of the sweep looks at. */
  private static final long SWEPT_PAGES = 4096;

  private static final String MICROS = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

  private final String table;
  private final String create;
  private final String lock;
  private final String insertAndLock;
  private final String writeAndCommit;
  private final String newGenerations;
  private final String readGenerations;
  private final String delete;
  private final String claimSweep;
  private final String countPages;
  private final String sweep;

  /**
   * Creates the statements.
   *
   * @param timeout after how long the server cancels a statement, and ends a transaction whose
   *     client has gone silent; without it, a node that loses power would leave its rows locked
   */
  BucketTable(String table, Duration timeout) {
    this.table = table;
    String begin = begin(timeout.toMillis());
    this.create =
        "create table if not exists "
            + table
            + " (key text collate \"C\" primary key, generation bigint not null,"
            + " state bytea not null, expires_at timestamptz not null) with (fillfactor = 50)";
    this.lock =
        begin
            + "with locked as materialized (select key, generation, state from "
            + table
            + " where key = any(?) order by key for update) select key, generation, state, "
            + MICROS
            + " from locked";
    this.insertAndLock =
        "rollback; "
            + begin
            + "insert into "
            + table
            + " as t (key, generation, state, expires_at) select wanted, 0, '', now() from"
            + " unnest(?) as wanted order by wanted collate \"C\" on conflict (key) do update set"
            + " state = t.state returning key, generation, state, "
            + MICROS;
    this.writeAndCommit =
        "update "
            + table
            + " as t set generation = n.generation, state = n.state, expires_at = clock_timestamp()"
            + " + n.micros * interval '1 microsecond' from unnest(?, ?, ?, ?) as n (key,"
            + " generation, state, micros) where t.key = n.key; commit";
    this.newGenerations =
        "insert into "
            + table
            + " as t (key, generation, state, expires_at) select wanted, "
            + MICROS
            + ", '', 'infinity' from unnest(?) as wanted order by wanted collate \"C\" on conflict"
            + " (key) do update set generation = greatest(t.generation + 1, excluded.generation)"
            + " returning key, generation";
    this.readGenerations =
        "select key, generation from " + table + " where key >= 'm:g:' and key < 'm:g;'";
    this.delete = "delete from " + table + " where key = ?";
    this.claimSweep =
        "insert into "
            + table
            + " as t (key, generation, state, expires_at) values ('m:sweep', 0, '', now() +"
            + " interval '60 seconds') on conflict (key) do update set expires_at ="
            + " excluded.expires_at where t.expires_at < now() returning key";
    this.countPages =
        "select pg_relation_size('"
            + table
            + "'::regclass) / current_setting('block_size')::bigint";
    this.sweep =
        "delete from "
            + table
            + " where key in (select key from "
            + table
            + " where ctid >= ?::tid and ctid < ?::tid and"
            + " expires_at < clock_timestamp() - interval '1 second' for update skip locked)";
  }

  private static String begin(long statementMillis) {
    // Not waiting for the disk: a crash of the server forgets what was taken in the last moments.
    // Only by the index: a plan from when the table was small would read all of it for ever.
    return "begin isolation level read committed; set local synchronous_commit = off;"
        + " set local enable_seqscan = off;"
        + " set local statement_timeout = "
        + statementMillis
        + "; set local idle_in_transaction_session_timeout = "
        + statementMillis
        + "; ";
  }

  /** The rows of some keys, and the server's time after the last of them was locked. */
  record LockedRows(Map<String, BucketRow> byKey, long nowMicros) {}

  void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(create);
    }
  }

  /** Begins a transaction and locks the rows of all keys, which it inserts if they do not exist. */
  LockedRows lock(Connection connection, Collection<String> keys) throws SQLException {
    String[] wanted = keys.toArray(String[]::new);
    LockedRows rows = lock(connection, lock, wanted);
    // Inserting the missing rows now would lock them out of order, so all is locked once more.
    return rows.byKey.size() == wanted.length ? rows : lock(connection, insertAndLock, wanted);
  }

  private static LockedRows lock(Connection connection, String sql, String[] keys)
      throws SQLException {
    Map<String, BucketRow> rows = new HashMap<>(2 * keys.length);
    long now = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf("text", keys));
      boolean isRows = statement.execute();
      while (!isRows) {
        isRows = statement.getMoreResults();
        if (!isRows && statement.getUpdateCount() < 0) {
          throw new SQLException("the statement returned no rows");
        }
      }
      try (ResultSet result = statement.getResultSet()) {
        while (result.next()) {
          String key = result.getString(1);
          rows.put(key, BucketRow.read(key, result.getLong(2), result.getBytes(3)));
          now = Math.max(now, result.getLong(4));
        }
      }
    }
    return new LockedRows(rows, now);
  }

  /** Writes rows that are locked, and commits. */
  void write(Connection connection, List<BucketRow> rows, List<Long> microsToFull)
      throws SQLException {
    int size = rows.size();
    String[] keys = new String[size];
    Long[] generations = new Long[size];
    byte[][] states = new byte[size][];
    for (int i = 0; i < size; i++) {
      keys[i] = rows.get(i).key();
      generations[i] = rows.get(i).generation();
      states[i] = rows.get(i).state();
    }
    try (PreparedStatement statement = connection.prepareStatement(writeAndCommit)) {
      statement.setArray(1, connection.createArrayOf("text", keys));
      statement.setArray(2, connection.createArrayOf("bigint", generations));
      statement.setArray(3, connection.createArrayOf("bytea", states));
      statement.setArray(4, connection.createArrayOf("bigint", microsToFull.toArray(Long[]::new)));
      statement.execute();
      if (statement.getUpdateCount() != size) {
        throw new SQLException(
            statement.getUpdateCount() + " rows of " + size + " were written in " + table);
      }
    }
  }

  void rollback(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("rollback");
    }
  }

  /** Starts a new generation of each name; returns the generations. */
  Map<String, Long> newGenerations(Connection connection, Collection<String> names)
      throws SQLException {
    String[] keys = names.stream().map(name -> "m:g:" + name).toArray(String[]::new);
    try (PreparedStatement statement = connection.prepareStatement(newGenerations)) {
      Array wanted = connection.createArrayOf("text", keys);
      statement.setArray(1, wanted);
      try (ResultSet result = statement.executeQuery()) {
        return generations(result);
      }
    }
  }

  /** Returns the generations of all names that were ever reset. */
  Map<String, Long> generations(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(readGenerations);
        ResultSet result = statement.executeQuery()) {
      return generations(result);
    }
  }

  private static Map<String, Long> generations(ResultSet result) throws SQLException {
    Map<String, Long> generations = new HashMap<>();
    while (result.next()) {
      generations.put(result.getString(1).substring("m:g:".length()), result.getLong(2));
    }
    return generations;
  }

  int delete(Connection connection, String key) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(delete)) {
      statement.setString(1, key);
      return statement.executeUpdate();
    }
  }

  /** Returns whether it is this node's turn to sweep; it is one node's turn per minute. */
  boolean claimSweep(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet claimed = statement.executeQuery(claimSweep)) {
      return claimed.next();
    }
  }

  /**
   * Deletes the rows of full buckets, a part of the table at a time. Skips rows that are locked, so
   * it waits for no transaction.
   *
   * @return how many rows were deleted
   */
  long sweep(Connection connection) throws SQLException {
    long pages;
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(countPages)) {
      result.next();
      pages = result.getLong(1);
    }
    long deleted = 0;
    for (long page = 0; page < pages; page += SWEPT_PAGES) {
      try (PreparedStatement statement = connection.prepareStatement(sweep)) {
        statement.setString(1, "(" + page + ",0)");
        statement.setString(2, "(" + (page + SWEPT_PAGES) + ",0)");
        deleted += statement.executeUpdate();
      }
    }
    return deleted;
  }
}
