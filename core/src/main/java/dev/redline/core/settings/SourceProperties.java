package dev.redline.core.settings;

import dev.redline.core.settings.Settings.ConfigSource;
import dev.redline.core.settings.Settings.ReloadStrategy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** Reads {@code rl.config.*}, {@code rl.k8s.*} and {@code rl.reload.*}. */
final class SourceProperties {
  private static final String SOURCE = "rl.config.source";
  private static final String PATH = "rl.config.path";
  private static final String STRATEGY = "rl.reload.strategy";

  private SourceProperties() {}

  static Settings.Config config(PropertyReader from) {
    List<ConfigSource> sources = sources(from);
    Optional<Path> path = from.read(PATH, "use a file or directory", Path::of);
    if (sources.contains(ConfigSource.CONFIG_MAP) && path.isEmpty()) {
      from.problem(PATH, "", "source CONFIG_MAP needs the file or directory it is mounted at");
    }
    return new Settings.Config(sources, path, from.bool("rl.k8s.watch-enabled", true));
  }

  private static List<ConfigSource> sources(PropertyReader from) {
    List<ConfigSource> sources =
        from.choices(SOURCE, ConfigSource.class, List.of(ConfigSource.FILE));
    String written = String.join(",", sources.stream().map(Enum::name).toList());
    if (new HashSet<>(sources).size() < sources.size()) {
      from.problem(SOURCE, written, "name each source once");
    }
    if (sources.contains(ConfigSource.FILE) && sources.contains(ConfigSource.CONFIG_MAP)) {
      from.problem(SOURCE, written, "use either FILE or CONFIG_MAP: both read " + PATH);
    }
    return sources;
  }

  static Settings.Reload reload(PropertyReader from, List<ConfigSource> sources) {
    return new Settings.Reload(
        from.bool("rl.reload.enabled", true),
        strategy(from, sources),
        from.duration("rl.reload.polling-interval", Duration.ofSeconds(30)),
        from.bool("rl.reload.reset-buckets-on-reload", true));
  }

  private static Optional<ReloadStrategy> strategy(
      PropertyReader from, List<ConfigSource> sources) {
    Optional<ReloadStrategy> strategy = from.choice(STRATEGY, ReloadStrategy.class);
    boolean redis = sources.contains(ConfigSource.REDIS);
    boolean files =
        sources.contains(ConfigSource.FILE) || sources.contains(ConfigSource.CONFIG_MAP);
    strategy.ifPresent(
        chosen -> {
          if (chosen == ReloadStrategy.REDIS_PUBSUB && !redis) {
            from.problem(STRATEGY, chosen.name(), "only " + SOURCE + " REDIS publishes notices");
          } else if (chosen == ReloadStrategy.WATCH && !files) {
            from.problem(
                STRATEGY, chosen.name(), "only " + SOURCE + " FILE and CONFIG_MAP are watched");
          }
        });
    return strategy;
  }
}
