package dev.redline.testkit.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds a {@code redis-server} executable: on the PATH, else inside the embedded-redis jar. */
public final class RedisBinary {
  private final @Nullable Path path;

  private RedisBinary(@Nullable Path path) {
    this.path = path;
  }

  static RedisBinary at(Path path) {
    return new RedisBinary(path);
  }

  /** Returns the server on the PATH, else the embedded one. */
  public static RedisBinary any() {
    return onPath().orElseGet(RedisBinary::embedded);
  }

  /** Returns the server on the PATH, if there is one. */
  public static Optional<RedisBinary> onPath() {
    String folders = System.getenv().getOrDefault("PATH", "");
    for (String folder : folders.split(Pattern.quote(File.pathSeparator), -1)) {
      Path candidate = Path.of(folder, "redis-server");
      if (Files.isExecutable(candidate)) {
        return Optional.of(new RedisBinary(candidate));
      }
    }
    return Optional.empty();
  }

  /** Returns the Redis 6.2 inside {@code com.github.codemonstur:embedded-redis}. */
  public static RedisBinary embedded() {
    return new RedisBinary(null);
  }

  /**
   * Returns the executable. The embedded one is copied to the folder of the server that runs it, so
   * that it is removed with the server.
   */
  Path installIn(Path folder) {
    if (path != null) {
      return path;
    }
    Path copy = folder.resolve("redis-server");
    if (Files.exists(copy)) {
      return copy;
    }
    try (InputStream in = RedisBinary.class.getResourceAsStream(resource())) {
      if (in == null) {
        throw new IllegalStateException(
            "no redis-server: put one on the PATH, or com.github.codemonstur:embedded-redis on the"
                + " class path");
      }
      Files.copy(in, copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!copy.toFile().setExecutable(true)) {
      throw new IllegalStateException("cannot make " + copy + " executable");
    }
    return copy;
  }

  private static String resource() {
    String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    boolean arm = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT).startsWith("aarch");
    if (os.contains("mac")) {
      return "/redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64");
    }
    return arm ? "/redis-server-6.2.7-linux-arm64" : "/redis-server-6.2.6-v5-linux-amd64";
  }
}
