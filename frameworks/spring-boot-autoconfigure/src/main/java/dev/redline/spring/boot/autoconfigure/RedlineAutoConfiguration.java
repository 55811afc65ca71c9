package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.UserVerification;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.MergedProperties;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RuleChange;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.telemetry.micrometer.ObservedStore;
import io.micrometer.observation.ObservationRegistry;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The engine with its store, rules and metrics. Beans of the application replace its parts: {@link
 * StorageProvider}, {@link MetricsExporter}, {@link PlanRegistry}, {@link RuleSetProvider}; others
 * are added: {@link ConfigProvider} as the strongest source, {@link DecisionListener}, {@link
 * RuleChange.Listener}.
 *
 * <p>Stores and rule sources use the application's {@code LettuceConnectionFactory}, {@code
 * HazelcastInstance}, {@code DataSource} and {@code MongoClient}, if no property names another
 * server.
 *
 * <p>No condition here or in other configurations reads a property: ahead-of-time processing
 * evaluates conditions when a native image is built, but properties count when it runs.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
      "org.springframework.boot.autoconfigure.hazelcast.HazelcastAutoConfiguration",
      "org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.mongo.MongoAutoConfiguration",
      "org.springframework.boot.mongodb.autoconfigure.MongoAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ImportRuntimeHints(RedlineRuntimeHints.class)
public class RedlineAutoConfiguration {
  private static final Plugins PLUGINS =
      Plugins.load(RedlineAutoConfiguration.class.getClassLoader());
  private static final PropertyCatalog CATALOG = SpringOrder.PROPERTIES.catalog(PLUGINS);

  /** Returns the {@code rl.*} properties of an environment by their names. */
  static Map<String, String> properties(ConfigurableEnvironment environment) {
    return EnvironmentProperties.of(environment, CATALOG);
  }

  static PropertyCatalog catalog() {
    return CATALOG;
  }

  @Bean
  @ConditionalOnMissingBean
  ApplicationSettings redlineSettings(
      ConfigurableEnvironment environment,
      ListableBeanFactory beans,
      ObjectProvider<EnabledFilter> enabledFilters,
      ObjectProvider<RedisHostProperties> redis) {
    EnvironmentProperties.warnOfUnknownVariables(environment, CATALOG);
    MergedProperties layers = new MergedProperties(CATALOG);
    enabledFilters.stream().map(EnabledFilter::properties).forEach(layers::add);
    layers.add(properties(environment));
    Map<String, String> properties = layers.merged();
    if (usesRedis(properties) && !namesRedis(properties)) {
      redis.orderedStream().map(RedisHostProperties::find).forEach(properties::putAll);
    }
    HostProfile host = HostProfile.application();
    boolean ownStore = beans.getBeanNamesForType(StorageProvider.class, true, false).length > 0;
    return SpringOrder.PROPERTIES.parse(properties, PLUGINS, ownStore ? host.withOwnStore() : host);
  }

  private static boolean usesRedis(Map<String, String> properties) {
    return properties.entrySet().stream()
        .filter(
            property ->
                property.getKey().startsWith("rl.storage.type")
                    || property.getKey().startsWith("rl.config.source")
                    || property.getKey().equals("rl.reload.strategy"))
        .anyMatch(property -> property.getValue().toUpperCase(Locale.ROOT).contains("REDIS"));
  }

  private static boolean namesRedis(Map<String, String> properties) {
    return properties.keySet().stream()
        .anyMatch(
            name -> name.startsWith("rl.redis.uri") || name.startsWith("rl.redis.cluster-nodes"));
  }

  @Bean
  @ConditionalOnMissingBean
  RedlineAssembly redlineAssembly(
      ApplicationSettings settings,
      ListableBeanFactory beans,
      ObjectProvider<StorageProvider> store,
      ObjectProvider<MetricsExporter> metrics,
      ObjectProvider<PlanRegistry> plans,
      ObjectProvider<RuleSetProvider> ruleSets,
      ObjectProvider<ConfigProvider> sources,
      ObjectProvider<DecisionListener> listeners,
      ObjectProvider<RuleChange.Listener> ruleChangeListeners,
      ObjectProvider<StoreObservation> observation) {
    RedlineAssembly.Builder builder = RedlineAssembly.builder(settings.assembly());
    store.ifAvailable(builder::store);
    metrics.ifAvailable(builder::metrics);
    plans.ifAvailable(builder::planRegistry);
    ruleSets.ifAvailable(builder::ruleSetProvider);
    sources.orderedStream().forEach(builder::addSource);
    listeners.orderedStream().forEach(builder::listener);
    ruleChangeListeners.orderedStream().forEach(builder::ruleChangeListener);
    observation.ifAvailable(observed -> builder.remoteStoreDecorator(observed.decorator()));
    builder.hostObjects(new HostBeans(beans));
    return builder.start();
  }

  /** Finds the beans of the application for plugins. */
  private record HostBeans(ListableBeanFactory beans) implements RedlineAssembly.HostObjects {
    @Override
    public <T> Optional<T> find(Class<T> type) {
      return Optional.ofNullable(beans.getBeanProvider(type).getIfUnique());
    }
  }

  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean
  RateLimitEngine redlineEngine(RedlineAssembly assembly) {
    return assembly.engine();
  }

  @Bean
  @ConditionalOnMissingBean
  RateLimitHttp redlineHttp(
      ApplicationSettings settings, ObjectProvider<DenialCustomizer> customizers) {
    return RateLimitHttp.of(settings.core(), customizers.orderedStream().toList());
  }

  @Bean
  @ConditionalOnMissingBean
  UserVerification redlineUserVerification(ApplicationSettings settings) {
    return UserVerification.start(settings);
  }

  @Bean
  @ConditionalOnMissingBean
  ChosenHandler redlineHandler(
      ApplicationSettings settings,
      RateLimitEngine engine,
      ObjectProvider<RateLimitHandler> handlers) {
    return ChosenHandler.of(
        settings,
        engine,
        handlers.orderedStream().filter(handler -> handler != engine).findFirst());
  }

  /**
   * How calls of a remote store are observed.
   *
   * @param decorator wraps the store
   */
  record StoreObservation(UnaryOperator<RemoteStore> decorator) {}

  /** Calls of a remote store as observations, in applications that have a registry of them. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({ObservationRegistry.class, ObservedStore.class})
  static class ObservationConfiguration {
    @Bean
    StoreObservation redlineStoreObservation(ObjectProvider<ObservationRegistry> registries) {
      ObservationRegistry registry = registries.getIfUnique(() -> ObservationRegistry.NOOP);
      return new StoreObservation(
          store -> registry.isNoop() ? store : new ObservedStore(store, registry));
    }
  }

  /** The application's Redis client as the default of {@code rl.redis.*}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(LettuceConnectionFactory.class)
  static class LettuceConfiguration {
    @Bean
    RedisHostProperties redlineRedisHostProperties(
        ObjectProvider<LettuceConnectionFactory> factories) {
      return new LettuceHostProperties(factories);
    }
  }
}
