package dev.redline.stores.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Where PostgreSQL is, in which table the buckets are, and how long an acquisition may take.
 *
 * @param url the JDBC URL, {@code jdbc:postgresql://…}; empty if the application brings the {@code
 *     DataSource}
 * @param username the user; empty if the URL has it
 * @param password the password; empty if there is none
 * @param table the table of the buckets, with or without schema: letters, digits and underscores
 * @param poolSize how many connections, and so transactions, there are at the same time
 * @param timeout how long an acquisition may take, from when it is submitted
 * @param createTable whether to create the table if it does not exist
 */
public record JdbcSettings(
    String url,
    String username,
    String password,
    String table,
    int poolSize,
    Duration timeout,
    boolean createTable) {
  private static final String DRIVER = "jdbc:postgresql:";
  private static final Pattern TABLE =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,62}");

  /**
   * Validates everything, so that a mistake fails here and not when the store connects.
   *
   * @throws IllegalArgumentException if a value is invalid; the message has no credentials
   */
  public JdbcSettings {
    Objects.requireNonNull(username, "username");
    Objects.requireNonNull(password, "password");
    if (!url.isEmpty() && !url.startsWith(DRIVER)) {
      throw new IllegalArgumentException(
          "the store JDBC is for PostgreSQL only: the URL must start with "
              + DRIVER
              + "//, was '"
              + url.replaceFirst("(?s)//.*|\\?.*", "…")
              + "'");
    }
    if (!TABLE.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "the table must be a name of letters, digits and underscores, with or without a schema"
              + " before a dot, was '"
              + table
              + "'");
    }
    if (poolSize < 1 || poolSize > 256) {
      throw new IllegalArgumentException("the pool size must be 1 to 256, was " + poolSize);
    }
    if (timeout.toMillis() < 1) {
      throw new IllegalArgumentException("the time-out must be at least 1ms, was " + timeout);
    }
  }

  /**
   * Returns the default settings for a URL: table {@code redline_buckets}, which is created if it
   * does not exist, 8 connections, 250 ms.
   *
   * @throws IllegalArgumentException if the URL is not one of PostgreSQL
   */
  public static JdbcSettings of(String url) {
    return new JdbcSettings(url, "", "", "redline_buckets", 8, Duration.ofMillis(250), true);
  }

  /** Returns the default settings for a {@code DataSource} of the application. */
  public static JdbcSettings forDataSource() {
    return of("");
  }

  /** Returns these settings with a user. */
  public JdbcSettings withCredentials(String newUsername, String newPassword) {
    return new JdbcSettings(url, newUsername, newPassword, table, poolSize, timeout, createTable);
  }

  /** Returns these settings with another table. */
  public JdbcSettings withTable(String value) {
    return new JdbcSettings(url, username, password, value, poolSize, timeout, createTable);
  }

  /** Returns these settings with another number of connections. */
  public JdbcSettings withPoolSize(int value) {
    return new JdbcSettings(url, username, password, table, value, timeout, createTable);
  }

  /** Returns these settings with another time-out for acquisitions. */
  public JdbcSettings withTimeout(Duration value) {
    return new JdbcSettings(url, username, password, table, poolSize, value, createTable);
  }

  /** Returns these settings for a table that is created by somebody else, or by the store. */
  public JdbcSettings withCreateTable(boolean value) {
    return new JdbcSettings(url, username, password, table, poolSize, timeout, value);
  }

  /** Returns what is connected to, for messages, without credentials. */
  String target() {
    if (url.isEmpty()) {
      return "PostgreSQL";
    }
    String rest = url.substring(DRIVER.length()).replaceFirst("(?s)\\?.*", "");
    // Up to the last @: a password may contain the character.
    return "PostgreSQL at " + rest.replaceFirst("^//(.*@)?", "");
  }

  /** Returns the table and the server, without credentials. */
  @Override
  public String toString() {
    return "JdbcSettings[" + table + ", " + target() + "]";
  }
}
