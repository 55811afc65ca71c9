package dev.redline.stores.redis;

import static java.util.stream.Collectors.joining;

import dev.redline.core.settings.Settings;
import io.lettuce.core.RedisURI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where Redis is, and how much it may be asked at once.
 *
 * @param uri a {@code redis://}, {@code rediss://}, {@code redis-socket://} or {@code
 *     redis-sentinel://} URI; whether it is a cluster is found out by asking
 * @param clusterNodes further nodes of a cluster to start from, as {@code host:port}, with the
 *     credentials of the URI; any node that answers will do
 * @param caFile the PEM certificates to trust with {@code rediss://}, instead of the JVM's own
 * @param commandTimeout how long an acquisition may take, from when it is asked for
 * @param connectTimeout how long a connection may take
 * @param keyPrefix what all keys start with
 * @param maxCalls how many script calls a lane has under way at most; beyond two, full ones only
 * @param maxBatch how many acquisitions one call decides at most
 * @param maxQueued how many acquisitions may wait in the whole store; more fail at once
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
  private static final String HOST = "(\\[[0-9A-Fa-f:.%]+]|[^:/\\[\\]\\s,]+)(:[0-9]{1,5})?";
  private static final Pattern HOSTS_AND_DATABASE =
      Pattern.compile(HOST + "(," + HOST + ")*(/[0-9]*)?");

  /**
   * Checks everything, so that a mistake fails here and not when the store connects.
   *
   * @throws IllegalArgumentException if a value is invalid; the message never holds the URI, which
   *     may have a password in it
   */
  public RedisSettings {
    clusterNodes = List.copyOf(clusterNodes);
    parse(uri);
    clusterNodes.forEach(RedisSettings::checkNode);
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

  private static RedisURI parse(String uri) {
    try {
      int authority = uri.indexOf("://") + 3;
      RedisURI parsed = RedisURI.create(uri);
      boolean someAddress =
          parsed.getSocket() != null
              || !parsed.getSentinels().isEmpty()
              || (parsed.getHost() != null && !parsed.getHost().isEmpty());
      // A password with @ or / in it would end up in the host or the path, and so in the log.
      boolean oneReading =
          uri.indexOf('@', authority) == uri.lastIndexOf('@')
              && (parsed.getSocket() != null || isHostsAndDatabase(uri.substring(authority)));
      if (someAddress && oneReading) {
        return parsed;
      }
    } catch (RuntimeException e) {
      // Its message may hold the password, so it is neither passed on nor logged.
    }
    throw new IllegalArgumentException(
        "the Redis URI is malformed; use redis://[user:password@]host[:port][/database],"
            + " rediss://…, redis-socket:///path or redis-sentinel://host:port,host:port/0#master;"
            + " in a user or password write @ as %40, / as %2F, : as %3A and % as %25");
  }

  private static boolean isHostsAndDatabase(String afterScheme) {
    String hierarchy = afterScheme.replaceAll("[?#].*", "");
    return HOSTS_AND_DATABASE.matcher(hierarchy.substring(hierarchy.indexOf('@') + 1)).matches();
  }

  private static void checkNode(String node) {
    int colon = node.lastIndexOf(':');
    try {
      int port = Integer.parseInt(node.substring(colon + 1));
      if (colon > 0 && port > 0 && port < 65_536) {
        return;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IllegalArgumentException("a cluster node must be host:port, was '" + node + "'");
  }

  /** Returns where to connect: the URI, then the further nodes of a cluster; any will do. */
  List<RedisURI> nodes() {
    RedisURI first = parse(uri);
    first.setTimeout(connectTimeout);
    List<RedisURI> nodes = new ArrayList<>();
    nodes.add(first);
    for (String node : clusterNodes) {
      int colon = node.lastIndexOf(':');
      RedisURI other = RedisURI.builder(first).build();
      other.setHost(node.substring(0, colon));
      other.setPort(Integer.parseInt(node.substring(colon + 1)));
      nodes.add(other);
    }
    return nodes;
  }

  /** Returns where Redis is, for people: without credentials. */
  String address() {
    return nodes().stream().map(RedisSettings::address).distinct().collect(joining(", "));
  }

  private static String address(RedisURI node) {
    if (node.getSocket() != null) {
      return node.getSocket();
    }
    return node.getSentinels().isEmpty()
        ? node.getHost() + ":" + node.getPort()
        : node.getSentinelMasterId()
            + " of the sentinels "
            + node.getSentinels().stream().map(RedisSettings::address).collect(joining(", "));
  }

  /** Returns the settings without what may be secret in the URI. */
  @Override
  public String toString() {
    return "RedisSettings[" + address() + "]";
  }
}
