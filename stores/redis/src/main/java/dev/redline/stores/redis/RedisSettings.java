package dev.redline.stores.redis;

import dev.redline.core.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where Redis is, and how much it may be asked at once.
 *
 * @param uri a {@code redis://}, {@code rediss://}, {@code redis-socket://} or {@code
 *     redis-sentinel://} URI; whether it is a cluster is found out by asking
 * @param clusterNodes further nodes of a cluster to start from, as {@code host:port}
 * @param caFile the PEM certificates to trust with {@code rediss://}, instead of the JVM's own
 * @param commandTimeout how long an acquisition may take, from when it is asked for
 * @param connectTimeout how long a connection may take
 * @param keyPrefix what all keys start with
 * @param maxCalls how many script calls a lane has under way at most; beyond two, full ones only
 * @param maxBatch how many acquisitions one call decides at most
 * @param maxQueued how many acquisitions may wait; more fail at once
 */
public record RedisSettings(
    String uri,
    List<String> clusterNodes,
    Optional<Path> caFile,
    Duration commandTimeout,
    Duration connectTimeout,
    String keyPrefix,
    int maxCalls,
    int maxBatch,
    int maxQueued) {
  /** Checks the prefix and the bounds. */
  public RedisSettings {
    clusterNodes = List.copyOf(clusterNodes);
    if (keyPrefix.isEmpty() || keyPrefix.indexOf('{') >= 0 || keyPrefix.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "the key prefix must not be empty nor contain braces, was '" + keyPrefix + "'");
    }
    if (maxCalls < 1 || maxBatch < 1 || maxBatch > 64 || maxQueued < 1) {
      throw new IllegalArgumentException(
          "maxCalls and maxQueued must be at least 1, maxBatch 1 to 64");
    }
  }

  /** Returns the default settings for a server. */
  public static RedisSettings of(String uri) {
    return new RedisSettings(
        uri,
        List.of(),
        Optional.empty(),
        Duration.ofMillis(50),
        Duration.ofSeconds(1),
        "rl",
        4,
        64,
        10_000);
  }

  /** Returns what the properties {@code rl.redis.*} and {@code rl.batch.*} say. */
  public static RedisSettings of(Settings settings) {
    Settings.Redis redis = settings.redis();
    Settings.Batch batch = settings.batch();
    return new RedisSettings(
        redis.uri(),
        redis.clusterNodes(),
        redis.caFile(),
        redis.commandTimeout(),
        redis.connectTimeout(),
        redis.keyPrefix(),
        batch.maxCalls(),
        batch.maxSize(),
        batch.maxQueued());
  }

  /** Returns these settings with another time-out for acquisitions. */
  public RedisSettings withCommandTimeout(Duration value) {
    return new RedisSettings(
        uri, clusterNodes, caFile, value, connectTimeout, keyPrefix, maxCalls, maxBatch, maxQueued);
  }

  /** Returns these settings with another key prefix. */
  public RedisSettings withKeyPrefix(String value) {
    return new RedisSettings(
        uri,
        clusterNodes,
        caFile,
        commandTimeout,
        connectTimeout,
        value,
        maxCalls,
        maxBatch,
        maxQueued);
  }

  /** Returns these settings with the certificates to trust. */
  public RedisSettings withCaFile(Path value) {
    return new RedisSettings(
        uri,
        clusterNodes,
        Optional.of(value),
        commandTimeout,
        connectTimeout,
        keyPrefix,
        maxCalls,
        maxBatch,
        maxQueued);
  }

  /** Returns the settings without what may be secret in the URI. */
  @Override
  public String toString() {
    return "RedisSettings[" + uri.replaceAll("//[^@/]*@", "//***@") + "]";
  }
}
