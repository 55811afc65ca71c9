package dev.redline.server.wiring;

import dev.redline.core.spi.RuleRepository;
import dev.redline.rules.documents.files.FileConfigProvider;
import dev.redline.rules.documents.files.FileRuleRepository;
import dev.redline.rules.documents.loading.RuleSource;
import dev.redline.rules.redis.RedisRuleRepository;
import dev.redline.server.rules.ExampleRules;
import dev.redline.server.settings.RuleSourceSettings.Source;
import dev.redline.server.settings.ServerSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Creates the rule sources that the properties name. */
final class RuleSources {
  private RuleSources() {}

  /**
   * Returns the sources of {@code rl.config.source}, weakest first. If none of them is writable,
   * the embedded repository in the data directory is added as the strongest one.
   */
  static List<RuleSource> of(ServerSettings settings) {
    List<RuleSource> sources = new ArrayList<>();
    for (Source source : settings.config().sources()) {
      sources.add(
          switch (source) {
            case FILE -> file(settings);
            case CONFIG_MAP -> configMap(settings);
            case REDIS ->
                RuleSource.dynamic(
                    new RedisRuleRepository(
                        settings.redis().connection(), settings.redis().keyPrefix()));
          });
    }
    if (sources.stream().noneMatch(source -> source.provider() instanceof RuleRepository)) {
      sources.add(RuleSource.dynamic(new FileRuleRepository(settings.dataDir().resolve("rules"))));
    }
    return sources;
  }

  private static RuleSource file(ServerSettings settings) {
    Optional<Path> path = settings.config().path();
    return path.isPresent()
        ? RuleSource.ofFiles(new FileConfigProvider(path.get()))
        : RuleSource.ofFiles(new ExampleRules());
  }

  private static RuleSource configMap(ServerSettings settings) {
    RuleSource mounted =
        RuleSource.ofFiles(new FileConfigProvider(settings.config().path().orElseThrow()));
    return settings.config().watchConfigMap() ? mounted : mounted.frozen();
  }

  /** Returns the starting document: {@code rl.config.path} if no source reads files. */
  static Optional<RuleSource> startingDocument(ServerSettings settings) {
    List<Source> sources = settings.config().sources();
    boolean isSource = sources.contains(Source.FILE) || sources.contains(Source.CONFIG_MAP);
    return settings
        .config()
        .path()
        .filter(path -> !isSource)
        .map(path -> RuleSource.ofFiles(new FileConfigProvider(path)));
  }
}
