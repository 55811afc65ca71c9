package dev.redline.core.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code rl.redis.*}. A URI may hold a password and is never shown. */
final class RedisProperties {
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

  private static final String NO_POOL =
      "not supported: all decisions share one multiplexed connection per master, so there is no"
          + " pool; remove it";

  private RedisProperties() {}

  static Settings.Redis read(PropertyReader from) {
    for (String name : List.of("max-total", "max-idle", "min-idle", "max-wait")) {
      from.reject("rl.redis.pool." + name, NO_POOL);
    }
    from.rejectUnder("rl.redis.pool.", NO_POOL);
    List<String> nodes = nodes(from);
    return new Settings.Redis(
        uri(from, nodes),
        nodes,
        caFile(from),
        from.duration("rl.redis.command-timeout", Duration.ofMillis(50)),
        from.duration("rl.redis.connect-timeout", Duration.ofSeconds(1)),
        prefix(from));
  }

  /** Returns the URI; without one, the first node of the cluster, and without that the default. */
  private static String uri(PropertyReader from, List<String> nodes) {
    String name = "rl.redis.uri";
    String unlessSet = "redis://" + (nodes.isEmpty() ? "127.0.0.1:6379" : nodes.get(0));
    String uri = from.secret(name, name + "-file").orElse(unlessSet);
    int authority = uri.indexOf("://") + 3;
    boolean knownScheme =
        SCHEMES.stream().anyMatch(scheme -> uri.startsWith(scheme) && !uri.equals(scheme));
    if (!knownScheme) {
      // The value may hold a password wherever it is malformed, so none of it is shown.
      from.problem(
          name,
          "…",
          "use redis://, rediss://, redis-socket:// or redis-sentinel:// and an address");
      return unlessSet;
    }
    if (uri.indexOf('@', authority) != uri.lastIndexOf('@')
        || uri.chars().anyMatch(Character::isWhitespace)) {
      from.problem(
          name,
          uri.substring(0, authority) + "…",
          "in a user or password write @ as %40, / as %2F, : as %3A and a space as %20");
      return unlessSet;
    }
    return uri;
  }

  private static List<String> nodes(PropertyReader from) {
    String name = "rl.redis.cluster-nodes";
    List<String> nodes = new ArrayList<>();
    for (String node : from.words(name)) {
      if (NODE.matcher(node).matches()) {
        nodes.add(node);
      } else {
        from.problem(name, node, "use host:port, several separated by commas");
      }
    }
    return nodes;
  }

  private static Optional<Path> caFile(PropertyReader from) {
    String name = "rl.redis.ca-file";
    return from.read(name, "use a readable PEM file", RedisProperties::readable);
  }

  private static Path readable(String file) {
    Path path = Path.of(file);
    if (!Files.isReadable(path)) {
      throw new IllegalArgumentException(file);
    }
    return path;
  }

  private static String prefix(PropertyReader from) {
    String allowed = "use 1 to 64 of A-Z a-z 0-9 . _ : -";
    return from.read(
            "rl.redis.key-prefix",
            allowed,
            value -> {
              if (!PREFIX.matcher(value).matches()) {
                throw new IllegalArgumentException(value);
              }
              return value;
            })
        .orElse("rl");
  }
}
