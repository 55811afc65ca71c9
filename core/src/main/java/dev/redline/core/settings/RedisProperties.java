package dev.redline.core.settings;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code rl.redis.*}. A URI may hold a password and is never told back. */
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

  private RedisProperties() {}

  static Settings.Redis read(Properties from) {
    return new Settings.Redis(
        uri(from),
        nodes(from),
        caFile(from),
        from.duration("rl.redis.command-timeout", Duration.ofMillis(50)),
        from.duration("rl.redis.connect-timeout", Duration.ofSeconds(1)),
        prefix(from),
        (int) from.number("rl.redis.pool.max-total", 8, 1, 1000));
  }

  private static String uri(Properties from) {
    String name = "rl.redis.uri";
    String unlessSet = "redis://127.0.0.1:6379";
    String uri = from.secret(name, name + "-file").orElse(unlessSet);
    if (SCHEMES.stream().noneMatch(scheme -> uri.startsWith(scheme) && !uri.equals(scheme))) {
      from.problem(
          name,
          uri.replaceAll("(//)?[^@/]*@", "$1***@"),
          "use redis://, rediss://, redis-socket:// or redis-sentinel:// and an address");
      return unlessSet;
    }
    return uri;
  }

  private static List<String> nodes(Properties from) {
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

  private static Optional<Path> caFile(Properties from) {
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

  private static String prefix(Properties from) {
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
