package dev.redline.redis.internal;

import static java.util.stream.Collectors.joining;

import io.lettuce.core.RedisURI;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses Redis URIs without ever showing what may be a password in them. */
public final class RedisUris {
  /** A Redis on this machine. */
  public static final String STANDARD = "redis://127.0.0.1:6379";

  private static final String HOST = "(\\[[0-9A-Fa-f:.%]+]|[^:/\\[\\]\\s,]+)(:0*[1-9][0-9]{0,4})?";
  private static final Pattern HOST_AND_DATABASE = Pattern.compile(HOST + "(/[0-9]*)?");
  private static final Pattern SENTINELS_AND_DATABASE =
      Pattern.compile(HOST + "(," + HOST + ")*(/[0-9]*)?");

  /** What Lettuce 6.6 to 7.x reads, ignoring case; it ignores every other option. */
  private static final List<String> OPTIONS =
      List.of(
          "timeout",
          "database",
          "db",
          "clientName",
          "libraryName",
          "libraryVersion",
          "verifyPeer",
          "sentinelMasterId");

  private RedisUris() {}

  /**
   * Rejects a malformed URI or cluster node.
   *
   * @throws IllegalArgumentException if one is malformed; the message does not contain the URI
   */
  public static void validate(@Nullable String uri, List<String> clusterNodes) {
    if (uri == null) {
      throw new IllegalArgumentException(
          "the Redis URI must not be null; use redis://[user:password@]host[:port][/database]");
    }
    // An application that uses no Redis has this one, and need not load the classes of Lettuce.
    if (!uri.equals(STANDARD)) {
      parse(uri);
    }
    clusterNodes.forEach(RedisUris::validateNode);
  }

  /** Returns the URI and those of the further cluster nodes, which have the same credentials. */
  static List<RedisURI> nodes(String uri, List<String> clusterNodes) {
    RedisURI first = parse(uri);
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

  /** Returns the addresses without credentials. */
  public static String address(String uri, List<String> clusterNodes) {
    return nodes(uri, clusterNodes).stream()
        .map(RedisUris::address)
        .distinct()
        .collect(joining(", "));
  }

  private static String address(RedisURI node) {
    if (node.getSocket() != null) {
      return node.getSocket();
    }
    return node.getSentinels().isEmpty()
        ? node.getHost() + ":" + node.getPort()
        : node.getSentinelMasterId()
            + " of the sentinels "
            + node.getSentinels().stream().map(RedisUris::address).collect(joining(", "));
  }

  private static RedisURI parse(String uri) {
    try {
      int authority = uri.indexOf("://") + 3;
      RedisURI parsed = RedisURI.create(uri);
      boolean hasAddress =
          parsed.getSocket() != null
              || !parsed.getSentinels().isEmpty()
              || (parsed.getHost() != null && !parsed.getHost().isEmpty());
      // An unescaped @ or / of a password would become part of the host, and so be logged.
      boolean unambiguous =
          uri.indexOf('@', authority) == uri.lastIndexOf('@')
              && (parsed.getSocket() != null || hasHosts(parsed, uri.substring(authority)));
      if (hasAddress && unambiguous && hasKnownOptions(uri)) {
        return parsed;
      }
    } catch (RuntimeException e) {
      // Its message may contain the password, so it is neither kept as a cause nor logged.
    }
    throw new IllegalArgumentException(
        "the Redis URI is malformed; use redis://[user:password@]host[:port][/database],"
            + " rediss://…, redis-socket:///path or redis-sentinel://host:port,host:port/0#master;"
            + " in a user or password write @ as %40, / as %2F, : as %3A and % as %25; options after"
            + " ? are "
            + String.join(", ", OPTIONS));
  }

  private static boolean hasHosts(RedisURI parsed, String afterScheme) {
    String hierarchy = afterScheme.replaceAll("[?#].*", "");
    Pattern hosts = parsed.getSentinels().isEmpty() ? HOST_AND_DATABASE : SENTINELS_AND_DATABASE;
    return hosts.matcher(hierarchy.substring(hierarchy.indexOf('@') + 1)).matches();
  }

  private static boolean hasKnownOptions(String uri) {
    String query = URI.create(uri).getQuery();
    return query == null
        || Pattern.compile("[&;]")
            .splitAsStream(query)
            .filter(option -> !option.isEmpty())
            .allMatch(RedisUris::isKnown);
  }

  private static boolean isKnown(String option) {
    String name = option.substring(0, Math.max(0, option.indexOf('=')));
    return OPTIONS.stream().anyMatch(name::equalsIgnoreCase);
  }

  private static void validateNode(String node) {
    int colon = node.lastIndexOf(':');
    try {
      int port = Integer.parseInt(node.substring(colon + 1));
      if (colon > 0 && port > 0 && port < 65_536) {
        return;
      }
    } catch (NumberFormatException e) {
      // Reported below, like a port out of range.
    }
    throw new IllegalArgumentException("a cluster node must be host:port, was '" + node + "'");
  }
}
