package dev.redline.redis;

import dev.redline.redis.internal.RedisUris;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Where Redis is, and how to connect to it.
 *
 * @param uri a {@code redis://}, {@code rediss://}, {@code redis-socket://} or {@code
 *     redis-sentinel://} URI; whether the server belongs to a cluster is detected on connecting
 * @param clusterNodes further nodes of a cluster, as {@code host:port}, with the credentials of the
 *     URI; the first node that accepts a connection is used to find the others
 * @param caFile the PEM certificates to trust with {@code rediss://}, instead of the JVM's own
 * @param connectTimeout how long connecting to a node may take
 */
public record RedisConnectionSettings(
    String uri, List<String> clusterNodes, Optional<Path> caFile, Duration connectTimeout) {
  private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(1);

  /**
   * Validates everything, so that a mistake fails here and not on connecting.
   *
   * @throws IllegalArgumentException if a value is invalid; the message never contains the URI,
   *     which may hold a password
   */
  public RedisConnectionSettings {
    clusterNodes = List.copyOf(clusterNodes);
    RedisUris.validate(uri, clusterNodes);
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      throw new IllegalArgumentException(
          "the connect time-out must be positive, was " + connectTimeout);
    }
  }

  /** Returns the settings for a URI, with a connect time-out of one second. */
  public static RedisConnectionSettings of(String uri) {
    return new RedisConnectionSettings(uri, List.of(), Optional.empty(), DEFAULT_CONNECT_TIMEOUT);
  }

  /** Returns these settings with the certificates to trust. */
  public RedisConnectionSettings withCaFile(Path value) {
    return new RedisConnectionSettings(uri, clusterNodes, Optional.of(value), connectTimeout);
  }

  /** Returns the addresses for log lines and errors, without credentials. */
  public String address() {
    return RedisUris.address(uri, clusterNodes);
  }

  /** Returns the addresses without credentials. */
  @Override
  public String toString() {
    return "RedisConnectionSettings[" + address() + "]";
  }
}
