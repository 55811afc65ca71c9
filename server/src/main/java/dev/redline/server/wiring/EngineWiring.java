package dev.redline.server.wiring;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.store.StorageProvider;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.reading.InlineLimits;
import dev.redline.server.access.CallerAuthenticator;
import dev.redline.server.access.CallerLimit;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.data.DataPlane;
import dev.redline.server.data.DataPlaneSettings;
import dev.redline.server.logging.DenialLog;
import dev.redline.server.rules.ExampleRules;
import dev.redline.server.rules.RulesPage;
import dev.redline.server.settings.PluginsDirectory;
import dev.redline.server.settings.ServerSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/** The Spring beans of the engine: store, metrics, rules, data plane. */
@Configuration(proxyBeanMethods = false)
class EngineWiring {
  private static final Duration KILL_SWITCH_INTERVAL = Duration.ofMillis(500);

  /** Loads the first rules; the service does not start if those of files are missing or invalid. */
  @Bean
  RedlineAssembly assembly(
      ServerSettings settings, PluginsDirectory plugins, ListableBeanFactory beans) {
    RedlineAssembly.Builder builder =
        RedlineAssembly.builder(settings.assembly())
            .source("FILE", new ExampleRules())
            .embeddedRepository(settings.dataDir().resolve("rules"))
            .hostObjects(
                new RedlineAssembly.HostObjects() {
                  @Override
                  public <T> Optional<T> find(Class<T> type) {
                    return Optional.ofNullable(beans.getBeanProvider(type).getIfUnique());
                  }
                });
    try {
      return builder.start();
    } catch (InvalidRulesException e) {
      throw new StartupFailure(e.errors(), e);
    } catch (InvalidSettingsException e) {
      throw new StartupFailure(e.problems(), e);
    }
  }

  /** Its digest of identities is always keyed, so that it cannot be brute-forced. */
  @Bean
  DenialLog denialLog(ServerSettings settings, RedlineAssembly assembly) {
    ApiKeyDigest configured = settings.core().identity().settings().apiKeyDigest();
    return DenialLog.start(
        configured.isKeyed() ? configured : ApiKeyDigest.ofProcess(), assembly.metrics());
  }

  @Bean(destroyMethod = "")
  StorageProvider store(RedlineAssembly assembly) {
    return assembly.store();
  }

  @Bean(destroyMethod = "")
  RateLimitEngine engine(RedlineAssembly assembly) {
    return assembly.engine();
  }

  @Bean(destroyMethod = "")
  RuleLoader ruleLoader(RedlineAssembly assembly) {
    return assembly.ruleLoader();
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
        .filter(file -> !KillSwitch.isOverridden(file, options, environment))
        .map(file -> new KillSwitch(file, environment, settings.core().enabled(), engine::enable))
        .ifPresent(killSwitch -> watcher.every(KILL_SWITCH_INTERVAL, killSwitch::update));
    return watcher;
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
      CallerAuthenticator callers,
      CallerLimit callerLimit,
      UserTokens tokens,
      TokenAuthenticator authenticator,
      RulesPage.Maker pages,
      DenialLog denials) {
    return new DataPlane(
        settings,
        engine,
        registry,
        InlineLimits::parse,
        callers,
        callerLimit,
        tokens,
        authenticator,
        pages,
        denials);
  }

  @Bean
  DataPlaneLifecycle dataPlaneLifecycle(DataPlane dataPlane, DataPlaneSettings settings) {
    return new DataPlaneLifecycle(dataPlane, settings);
  }
}
