package dev.redline.assembly;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import dev.redline.rules.documents.files.FileConfigProvider;
import dev.redline.rules.documents.files.FileRuleRepository;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RuleReloading;
import dev.redline.rules.documents.loading.RuleSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Creates the rule sources, loads them and reloads them. */
record RuleSourceAssembly(
    AssemblySettings settings,
    Map<String, ConfigProvider> named,
    List<ConfigProvider> further,
    Optional<Path> embeddedRepository,
    PluginContext context) {

  /**
   * Returns the sources, weakest first. A source that only the host can supply, and did not, is
   * left out.
   */
  private List<RuleSource> sources() {
    List<RuleSource> sources = new ArrayList<>();
    try {
      addTo(sources);
    } catch (RuntimeException e) {
      sources.forEach(source -> source.provider().close());
      throw e;
    }
    return sources;
  }

  private void addTo(List<RuleSource> sources) {
    for (RuleSourceSettings.Source source : settings.config().sources()) {
      // FILE of the host stands for a missing rl.config.path, not for an existing one.
      boolean readsPath =
          source.name().equals(RuleSourceSettings.FILE) && source.creator().isPresent();
      ConfigProvider own = readsPath ? null : named.get(source.name());
      if (own != null) {
        sources.add(supplied(source, own));
      } else if (source.name().equals(HostProfile.INLINE)) {
        sources.add(RuleSource.ofApplication(settings.inline()));
      } else if (source.creator().isPresent()) {
        sources.add(created(source));
      }
    }
    further.forEach(source -> sources.add(RuleSource.overlay(source)));
    boolean writable = sources.stream().anyMatch(each -> each.provider() instanceof RuleRepository);
    if (embeddedRepository.isPresent() && !writable) {
      sources.add(RuleSource.overlay(new FileRuleRepository(embeddedRepository.get())));
    }
  }

  private static RuleSource supplied(RuleSourceSettings.Source source, ConfigProvider own) {
    if (source.name().equals(RuleSourceSettings.FILE)) {
      return RuleSource.ofFiles(own);
    }
    return source.deployed() ? RuleSource.ofApplication(own) : RuleSource.dynamic(own);
  }

  private RuleSource created(RuleSourceSettings.Source source) {
    ConfigProvider provider;
    try {
      provider = source.creator().orElseThrow().create(context);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingsException(
          List.of("rl.config.source " + source.name() + ": " + e.getMessage()));
    }
    return source.deployed() ? RuleSource.ofFiles(provider) : RuleSource.dynamic(provider);
  }

  /** Loads the first rules. */
  RuleLoader load(
      RateLimitEngine engine, MetricsExporter metrics, Deque<AutoCloseable> closeables) {
    RuleLoader.Builder builder =
        RuleLoader.builder(engine, sources())
            .identity(settings.core().identity().settings())
            .resetBuckets(settings.reload().resetBuckets())
            .metrics(metrics);
    if (settings.config().isPathStartingDocument()) {
      Path path = settings.config().path().orElseThrow();
      builder.startingWith(RuleSource.ofFiles(new FileConfigProvider(path)));
    }
    RuleLoader loader = builder.build();
    closeables.push(loader);
    try {
      loader.start();
    } catch (InvalidRulesException e) {
      throw new InvalidRulesException(withMissingPath(e.errors()));
    }
    return loader;
  }

  /** Adds a line about {@code rl.config.path} to the errors if the path does not exist. */
  private List<String> withMissingPath(List<String> errors) {
    return settings
        .config()
        .path()
        .filter(Files::notExists)
        .map(path -> "rl.config.path: '" + path + "' does not exist; use a file or directory")
        .map(missing -> Stream.concat(Stream.of(missing), errors.stream()).toList())
        .orElse(errors);
  }

  RuleReloading reload(RuleLoader loader) {
    boolean watch = !settings.reload().strategy().equals(Optional.of(ReloadStrategy.POLLING));
    return RuleReloading.start(loader, settings.reload().pollingInterval(), watch);
  }
}
