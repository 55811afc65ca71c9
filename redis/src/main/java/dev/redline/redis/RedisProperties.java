package dev.redline.redis;

import dev.redline.core.spi.PropertyReader;
import dev.redline.redis.internal.RedisUris;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The properties {@code rl.redis.*}, which the store and the rule source share.
 *
 * @param connection where Redis is
 * @param commandTimeout how long a decision may take
 * @param keyPrefix what all keys start with
 */
public record RedisProperties(
    RedisConnectionSettings connection, Duration commandTimeout, String keyPrefix) {
  private static final String URI = "rl.redis.uri";
  private static final List<String> SCHEMES =
      List.of(
          "redis://",
          "rediss://",
          "redis-socket://",
          "redis+socket://",
          "redis-sentinel://",
          "rediss-sentinel://");
  private static final Pattern NODE = Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^:\\s]+):([0-9]{1,5})");
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
  private static final String ESCAPE =
      "in a user or password write @ as %40, / as %2F, : as %3A and a space as %20";
  private static final String NO_POOL =
      "not supported: all decisions share one multiplexed connection per master, so there is no"
          + " pool; remove it";

  /** Reads the properties; a URI may hold a password, so problems do not show it. */
  public static RedisProperties read(PropertyReader from) {
    String writtenUri = uri(from);
    List<String> nodes = nodes(from);
    Optional<Path> caFile =
        from.property("rl.redis.ca-file", "PEM certificates to trust with `rediss://`")
            .unlessSet("the JVM's own")
            .parsed("use a readable PEM file", RedisProperties::readable);
    Duration commandTimeout =
        from.property(
                "rl.redis.command-timeout",
                "how long a decision may take, from when it is asked for")
            .duration(Duration.ofMillis(50));
    Duration connectTimeout =
        from.property(
                "rl.redis.connect-timeout",
                "how long connecting may take, and how long the start waits for Redis")
            .duration(Duration.ofSeconds(1));
    String keyPrefix =
        from.property("rl.redis.key-prefix", "what all keys start with")
            .unlessSet("`rl`")
            .parsed("use 1 to 64 of A-Z a-z 0-9 . _ : -", RedisProperties::checkedPrefix)
            .orElse("rl");
    rejectPool(from);
    return new RedisProperties(
        connection(from, writtenUri, nodes, caFile, connectTimeout), commandTimeout, keyPrefix);
  }

  private static void rejectPool(PropertyReader from) {
    from.describe(
        "rl.redis.pool.*",
        "",
        "rejected: all decisions share one multiplexed connection per master");
    for (String name : List.of("max-total", "max-idle", "min-idle", "max-wait")) {
      from.reject("rl.redis.pool." + name, NO_POOL);
    }
    from.rejectUnder("rl.redis.pool.", NO_POOL);
  }

  /** Returns the URI, or an empty text if it is absent or was reported. */
  private static String uri(PropertyReader from) {
    String uri =
        from.property(
                URI,
                "also `rediss://`, `redis-socket://`, `redis-sentinel://`; see [Redis](redis.md)")
            .unlessSet("`" + RedisUris.STANDARD + "`")
            .secret()
            .orElse("");
    boolean knownScheme =
        SCHEMES.stream().anyMatch(scheme -> uri.startsWith(scheme) && !uri.equals(scheme));
    if (!uri.isEmpty() && !knownScheme) {
      // The value may hold a password wherever it is malformed, so none of it is shown.
      from.problem(
          URI, "…", "use redis://, rediss://, redis-socket:// or redis-sentinel:// and an address");
      return "";
    }
    int authority = uri.indexOf("://") + 3;
    if (uri.indexOf('@', authority) != uri.lastIndexOf('@')
        || uri.chars().anyMatch(Character::isWhitespace)) {
      from.problem(URI, uri.substring(0, authority) + "…", ESCAPE);
      return "";
    }
    return uri;
  }

  /** Connects to the first node of a cluster if there is no URI, and else to this machine. */
  private static RedisConnectionSettings connection(
      PropertyReader from,
      String writtenUri,
      List<String> nodes,
      Optional<Path> caFile,
      Duration connectTimeout) {
    String standard = nodes.isEmpty() ? RedisUris.STANDARD : "redis://" + nodes.get(0);
    try {
      return new RedisConnectionSettings(
          writtenUri.isEmpty() ? standard : writtenUri, nodes, caFile, connectTimeout);
    } catch (IllegalArgumentException e) {
      from.secretProblem(URI, String.valueOf(e.getMessage()));
      return RedisConnectionSettings.of(RedisUris.STANDARD);
    }
  }

  private static List<String> nodes(PropertyReader from) {
    String name = "rl.redis.cluster-nodes";
    List<String> nodes = new ArrayList<>();
    for (String node :
        from.property(
                name,
                "nodes of a cluster to start from, `host:port`, separated by commas; the first that"
                    + " answers is used, also without `rl.redis.uri`")
            .words()) {
      if (NODE.matcher(node).matches()) {
        nodes.add(node);
      } else {
        from.problem(name, node, "use host:port, several separated by commas");
      }
    }
    return nodes;
  }

  private static Path readable(String file) {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(file);
    }
    return path;
  }

  private static String checkedPrefix(String value) {
    if (!PREFIX.matcher(value).matches()) {
      throw new IllegalArgumentException(value);
    }
    return value;
  }

  /** Returns the prefix alone: a URI may hold a password. */
  @Override
  public String toString() {
    return "RedisProperties[" + keyPrefix + "]";
  }
}
