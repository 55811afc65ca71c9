package dev.redline.server.wiring;

import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.key.ApiKeyDigest;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.StorageProvider;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RuleReloading;
import dev.redline.rules.documents.reading.InlineLimits;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.DataPlane;
import dev.redline.server.data.DataPlaneSettings;
import dev.redline.server.rules.RulesPage;
import dev.redline.server.settings.ReloadSettings;
import dev.redline.server.settings.ServerSettings;
import dev.redline.stores.caffeine.CaffeineStore;
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

/** The Spring beans of the engine: store, metrics, rules, data plane. */
@Configuration(proxyBeanMethods = false)
class EngineWiring {
  private static final Duration KILL_SWITCH_INTERVAL = Duration.ofMillis(500);

  @Bean
  StorageProvider store(ServerSettings settings) {
    long maxKeys = settings.storage().maxKeys();
    return switch (settings.storage().type()) {
      case LOCAL -> new LocalStore(maxKeys, MicrosClock.monotonic());
      case CAFFEINE -> new CaffeineStore(maxKeys, MicrosClock.monotonic());
      case REDIS -> redis(settings);
    };
  }

  /** Waits for Redis at most one connect timeout; the service starts without it, too. */
  private static StorageProvider redis(ServerSettings settings) {
    RedisStore store = RedisStore.start(settings.redisStore());
    store.awaitReady(settings.redis().connection().connectTimeout());
    return new CircuitBreakingStore(
        store, settings.core().circuitBreaker(), settings.redis().commandTimeout());
  }

  @Bean
  MetricsExporter metricsExporter(
      ServerSettings settings,
      MeterRegistry registry,
      StorageProvider store,
      LocalFallback fallback) {
    if (!settings.core().metrics().enabled()) {
      return MetricsExporter.NONE;
    }
    MicrometerMetricsExporter exporter =
        new MicrometerMetricsExporter(registry, settings.core().metrics().maxRules());
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

  /**
   * The in-memory store that decides for LOCAL rules while a shared store fails, if there is one.
   */
  record LocalFallback(Optional<LocalStore> store) implements AutoCloseable {
    @Override
    public void close() {
      store.ifPresent(LocalStore::close);
    }
  }

  @Bean
  LocalFallback fallback(ServerSettings settings, StorageProvider store) {
    return new LocalFallback(
        store instanceof InMemoryStore
            ? Optional.empty()
            : Optional.of(new LocalStore(settings.storage().maxKeys(), MicrosClock.monotonic())));
  }

  @Bean
  RateLimitEngine engine(
      ServerSettings settings,
      StorageProvider store,
      LocalFallback fallback,
      MetricsExporter metrics) {
    RateLimitEngine.Builder builder =
        RateLimitEngine.builder(store)
            .settings(settings.core().engine())
            .reportBands(settings.core().headers().ietf())
            .metrics(metrics)
            .listeners(
                List.of(DecisionListener.ofExceeded(new LimitExceededLog(), logDigest(settings))));
    fallback.store().ifPresent(builder::fallback);
    RateLimitEngine engine = builder.build();
    engine.enable(settings.core().enabled());
    return engine;
  }

  /** Returns the digest of identities in logs: always keyed, so that it cannot be brute-forced. */
  private static ApiKeyDigest logDigest(ServerSettings settings) {
    ApiKeyDigest configured = settings.core().identity().settings().apiKeyDigest();
    return configured.isKeyed() ? configured : ApiKeyDigest.ofProcess();
  }

  /** Loads the first rules; the service does not start if those of files are missing or invalid. */
  @Bean
  RuleLoader ruleLoader(ServerSettings settings, RateLimitEngine engine, MetricsExporter metrics) {
    RuleLoader.Builder builder =
        RuleLoader.builder(engine, RuleSources.of(settings))
            .identity(settings.core().identity().settings())
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

  /** Adds a line about {@code rl.config.path} to the errors if the path does not exist. */
  private static List<String> named(List<String> errors, ServerSettings settings) {
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

  /** The thread that reloads changed rules; empty if {@code rl.reload.enabled} is false. */
  record Reloading(Optional<RuleReloading> thread) implements AutoCloseable {
    @Override
    public void close() {
      thread.ifPresent(RuleReloading::close);
    }
  }

  @Bean
  Reloading reloading(ServerSettings settings, RuleLoader loader) {
    ReloadSettings reload = settings.reload();
    boolean watch = !reload.strategy().equals(Optional.of(ReloadSettings.Strategy.POLLING));
    return new Reloading(
        reload.enabled()
            ? Optional.of(RuleReloading.start(loader, reload.pollingInterval(), watch))
            : Optional.empty());
  }

  @Bean
  ConfigFileWatcher watcher(
      ServerSettings settings,
      ServerOptions options,
      ConfigurableEnvironment environment,
      RateLimitEngine engine) {
    ConfigFileWatcher watcher = new ConfigFileWatcher();
    options
        .config()
        .filter(file -> !isEnabledOverridden(options))
        .map(file -> new KillSwitch(file, environment, settings.core().enabled(), engine::enable))
        .ifPresent(killSwitch -> watcher.every(KILL_SWITCH_INTERVAL, killSwitch::update));
    return watcher;
  }

  /** Returns whether a flag or variable overrides {@code rl.enabled} of the configuration file. */
  private static boolean isEnabledOverridden(ServerOptions options) {
    Map<String, String> flags = options.flags();
    return flags.containsKey("rl.enabled")
        || options.variables().containsKey("RL_ENABLED")
        || System.getProperty("rl.enabled") != null;
  }

  @Bean
  DataPlaneSettings dataPlaneSettings(ServerSettings settings) {
    return DataPlaneSettings.of(settings);
  }

  /** Depends on the rule loader, so that the port opens after the first rules are loaded. */
  @Bean
  DataPlane dataPlane(
      DataPlaneSettings settings,
      RateLimitEngine engine,
      MeterRegistry registry,
      RuleLoader loader,
      TokenAuthenticator authenticator,
      RulesPage.Maker pages) {
    return new DataPlane(settings, engine, registry, InlineLimits::parse, authenticator, pages);
  }

  @Bean
  DataPlaneLifecycle dataPlaneLifecycle(DataPlane dataPlane, DataPlaneSettings settings) {
    return new DataPlaneLifecycle(dataPlane, settings);
  }
}
