package dev.redline.stores.redis;

import dev.redline.core.spi.PropertyReader;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.redis.RedisProperties;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Where Redis is, how long an acquisition may take, and how many are sent at once.
 *
 * @param connection where Redis is and how to connect to it
 * @param commandTimeout how long an acquisition may take, from when it is submitted
 * @param keyPrefix the prefix of all keys
 * @param maxCalls how many script calls a lane has in flight at most; beyond two, only full ones
 * @param maxBatch how many different acquisitions one call decides at most
 * @param maxQueued how many acquisitions may wait in the whole store; more fail at once
 * @param lease whether and how much is acquired ahead of demand
 */
public record RedisSettings(
    RedisConnectionSettings connection,
    Duration commandTimeout,
    String keyPrefix,
    int maxCalls,
    int maxBatch,
    int maxQueued,
    LeaseSettings lease) {
  /**
   * Validates everything, so that a mistake fails here and not when the store connects.
   *
   * @throws IllegalArgumentException if a value is invalid
   */
  public RedisSettings {
    Objects.requireNonNull(connection, "connection");
    if (keyPrefix.isEmpty() || keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "the key prefix must not be empty nor contain braces, was '" + keyPrefix + "'");
    }
    if (maxCalls < 1 || maxBatch < 1 || maxBatch > 64 || maxQueued < 1) {
      throw new IllegalArgumentException(
          "maxCalls and maxQueued must be at least 1, maxBatch 1 to 64");
    }
  }

  /**
   * Returns the default settings for a URI.
   *
   * @throws IllegalArgumentException if the URI is malformed; the message does not contain it
   */
  public static RedisSettings of(String uri) {
    return of(RedisConnectionSettings.of(uri));
  }

  /** Returns the default settings for a connection. */
  public static RedisSettings of(RedisConnectionSettings connection) {
    return new RedisSettings(
        connection, Duration.ofMillis(50), "rl", 4, 64, 10_000, LeaseSettings.OFF);
  }

  /**
   * Reads the properties {@code rl.batch.*} and {@code rl.lease.*}.
   *
   * @param redis the properties {@code rl.redis.*}
   */
  public static RedisSettings read(PropertyReader from, RedisProperties redis) {
    return new RedisSettings(
        redis.connection(),
        redis.commandTimeout(),
        redis.keyPrefix(),
        from.property(
                "rl.batch.max-calls",
                "how many script calls are in flight per lane, the third and fourth only with full"
                    + " batches; meanwhile decisions gather")
            .integer(4, 1, 4),
        from.property("rl.batch.max-size", "how many decisions one script call makes at most")
            .integer(64, 1, 64),
        from.property(
                "rl.batch.max-queued",
                "how many decisions may wait in the whole store at most, fewer if Redis is slow; more"
                    + " fail at once")
            .integer(10_000, 1, 1_000_000),
        LeaseSettings.read(from));
  }

  /** Returns these settings with another time-out for acquisitions. */
  public RedisSettings withCommandTimeout(Duration value) {
    return new RedisSettings(connection, value, keyPrefix, maxCalls, maxBatch, maxQueued, lease);
  }

  /** Returns these settings with another key prefix. */
  public RedisSettings withKeyPrefix(String value) {
    return new RedisSettings(
        connection, commandTimeout, value, maxCalls, maxBatch, maxQueued, lease);
  }

  /** Returns these settings with the certificates to trust. */
  public RedisSettings withCaFile(Path value) {
    return new RedisSettings(
        connection.withCaFile(value),
        commandTimeout,
        keyPrefix,
        maxCalls,
        maxBatch,
        maxQueued,
        lease);
  }

  /** Returns these settings with other leases. */
  public RedisSettings withLease(LeaseSettings value) {
    return new RedisSettings(
        connection, commandTimeout, keyPrefix, maxCalls, maxBatch, maxQueued, value);
  }

  /** Returns the addresses without credentials. */
  @Override
  public String toString() {
    return "RedisSettings[" + connection.address() + "]";
  }
}
