package dev.redline.server.wiring;

import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.key.ApiKeyDigest;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.Settings;
import dev.redline.core.settings.Settings.ReloadStrategy;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.StorageProvider;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.rules.documents.InlineLimits;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RuleReloading;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.DataPlane;
import dev.redline.server.data.DataPlaneSettings;
import dev.redline.server.rules.RulesPage;
import dev.redline.stores.caffeine.CaffeineStore;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.telemetry.micrometer.MicrometerMetricsExporter;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** The parts that decide. */
@Configuration(proxyBeanMethods = false)
class EngineWiring {
  private static final Duration KILL_SWITCH_INTERVAL = Duration.ofMillis(500);

  @Bean
  StorageProvider store(Settings settings) {
    long maxKeys = settings.storage().maxKeys();
    return switch (settings.storage().type()) {
      case LOCAL -> new LocalStore(maxKeys, MicrosClock.monotonic());
      case CAFFEINE -> new CaffeineStore(maxKeys, MicrosClock.monotonic());
      case REDIS -> redis(settings);
    };
  }

  /** Gives Redis one connect time-out to be there; whether it is or not, the service starts. */
  private static StorageProvider redis(Settings settings) {
    RedisStore store = RedisStore.start(RedisSettings.of(settings));
    store.awaitReady(settings.redis().connectTimeout());
    return new CircuitBreakingStore(
        store, settings.circuitBreaker(), settings.redis().commandTimeout());
  }

  @Bean
  MetricsExporter metricsExporter(
      Settings settings, MeterRegistry registry, StorageProvider store, LocalFallback fallback) {
    if (!settings.metrics().enabled()) {
      return MetricsExporter.NONE;
    }
    MicrometerMetricsExporter exporter =
        new MicrometerMetricsExporter(registry, settings.metrics().maxRules());
    exporter.showStore(store.type());
    if (store instanceof InMemoryStore inMemory) {
      exporter.showLocalKeys(inMemory::size);
    }
    if (store instanceof CircuitBreakingStore guarded) {
      exporter.showBreaker(
          store.type(),
          Arrays.stream(BreakerState.values()).map(EngineWiring::lowerCase).toList(),
          () -> lowerCase(guarded.state()));
    }
    fallback.store().ifPresent(local -> exporter.showLocalKeys(local::size));
    return exporter;
  }

  private static String lowerCase(BreakerState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** The store of this node that decides for LOCAL rules while a shared store fails, if any. */
  record LocalFallback(Optional<LocalStore> store) implements AutoCloseable {
    @Override
    public void close() {
      store.ifPresent(LocalStore::close);
    }
  }

  @Bean
  LocalFallback fallback(Settings settings, StorageProvider store) {
    return new LocalFallback(
        store instanceof InMemoryStore
            ? Optional.empty()
            : Optional.of(new LocalStore(settings.storage().maxKeys(), MicrosClock.monotonic())));
  }

  @Bean
  RateLimitEngine engine(
      Settings settings, StorageProvider store, LocalFallback fallback, MetricsExporter metrics) {
    RateLimitEngine.Builder builder =
        RateLimitEngine.builder(store)
            .settings(settings.engine())
            .reportBands(settings.headers().ietf())
            .metrics(metrics)
            .listeners(
                List.of(DecisionListener.ofExceeded(new LimitExceededLog(), logDigest(settings))));
    fallback.store().ifPresent(builder::fallback);
    RateLimitEngine engine = builder.build();
    engine.enable(settings.enabled());
    return engine;
  }

  /** Returns what identities become in logs: never a digest that can be found by trying. */
  private static ApiKeyDigest logDigest(Settings settings) {
    ApiKeyDigest configured = settings.identity().settings().apiKeyDigest();
    return configured.isKeyed() ? configured : ApiKeyDigest.ofProcess();
  }

  /** Loads the first rules; without those of files the service does not start. */
  @Bean
  RuleLoader ruleLoader(Settings settings, RateLimitEngine engine, MetricsExporter metrics) {
    RuleLoader.Builder builder =
        RuleLoader.builder(engine, RuleSources.of(settings))
            .identity(settings.identity().settings())
            .resetBuckets(settings.reload().resetBuckets())
            .metrics(metrics);
    RuleSources.startingDocument(settings).ifPresent(builder::startingWith);
    RuleLoader loader = builder.build();
    try {
      loader.start();
    } catch (InvalidRulesException e) {
      loader.close();
      throw new StartupFailure(named(e.errors(), settings), e);
    }
    return loader;
  }

  /** Returns errors with the property that names the rules, where they are not there at all. */
  private static List<String> named(List<String> errors, Settings settings) {
    return settings
        .config()
        .path()
        .filter(Files::notExists)
        .map(
            path ->
                List.of("rl.config.path: '" + path + "' does not exist; use a file or directory"))
        .map(missing -> Stream.concat(missing.stream(), errors.stream()).toList())
        .orElse(errors);
  }

  /** What follows the sources of rules while the service runs, unless it shall not. */
  record Reloading(Optional<RuleReloading> thread) implements AutoCloseable {
    @Override
    public void close() {
      thread.ifPresent(RuleReloading::close);
    }
  }

  @Bean
  Reloading reloading(Settings settings, RuleLoader loader) {
    Settings.Reload reload = settings.reload();
    boolean watch = !reload.strategy().equals(Optional.of(ReloadStrategy.POLLING));
    return new Reloading(
        reload.enabled()
            ? Optional.of(RuleReloading.start(loader, reload.pollingInterval(), watch))
            : Optional.empty());
  }

  @Bean
  ConfigFileWatcher watcher(
      Settings settings,
      ServerOptions options,
      ConfigurableEnvironment environment,
      RateLimitEngine engine) {
    ConfigFileWatcher watcher = new ConfigFileWatcher();
    options
        .config()
        .filter(file -> !isEnabledSaidElsewhere(options))
        .map(file -> new KillSwitch(file, environment, settings.enabled(), engine::enable))
        .ifPresent(killSwitch -> watcher.every(KILL_SWITCH_INTERVAL, killSwitch::look));
    return watcher;
  }

  /** Returns whether something stronger than the configuration file holds the kill switch. */
  private static boolean isEnabledSaidElsewhere(ServerOptions options) {
    Map<String, String> flags = options.flags();
    return flags.containsKey("rl.enabled")
        || options.variables().containsKey("RL_ENABLED")
        || System.getProperty("rl.enabled") != null;
  }

  @Bean
  DataPlaneSettings dataPlaneSettings(Settings settings) {
    return DataPlaneSettings.of(settings);
  }

  /** Comes after the rule loader, so that nothing is answered without rules. */
  @Bean
  DataPlane dataPlane(
      DataPlaneSettings settings,
      RateLimitEngine engine,
      MeterRegistry registry,
      RuleLoader loader,
      TokenAuthenticator gate,
      RulesPage.Maker pages) {
    return new DataPlane(settings, engine, registry, InlineLimits::parse, gate, pages);
  }

  @Bean
  DataPlaneLifecycle dataPlaneLifecycle(DataPlane dataPlane, DataPlaneSettings settings) {
    return new DataPlaneLifecycle(dataPlane, settings);
  }
}
