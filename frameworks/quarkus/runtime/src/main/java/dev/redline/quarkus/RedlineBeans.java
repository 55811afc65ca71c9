package dev.redline.quarkus;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.UserVerification;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.binding.CallPlans;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RuleChange;
import dev.redline.core.internal.settings.PropertyCatalog;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StorageProvider;
import io.quarkus.arc.Arc;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.InjectableBean;
import io.quarkus.arc.InjectableInstance;
import io.quarkus.arc.InstanceHandle;
import io.smallrye.config.SmallRyeConfig;
import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Typed;
import jakarta.enterprise.inject.literal.NamedLiteral;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The engine with its store, rules and metrics. Beans of the application replace its parts: {@link
 * StorageProvider}, {@link MetricsExporter}, {@link PlanRegistry}, {@link RuleSetProvider}, {@link
 * RateLimitHandler}; others are added: {@link ConfigProvider} as the strongest source, {@link
 * DecisionListener}, {@link RuleChange.Listener}, {@link DenialCustomizer}, {@link
 * RoutingRequestCustomizer}, and {@link KeyResolver} by name.
 */
@Singleton
public class RedlineBeans {
  /** What the build must not remove, since it is looked up by type. */
  public static final List<Class<?>> LOOKED_UP =
      List.of(
          StorageProvider.class,
          MetricsExporter.class,
          PlanRegistry.class,
          RuleSetProvider.class,
          RateLimitHandler.class,
          ConfigProvider.class,
          DecisionListener.class,
          RuleChange.Listener.class,
          DenialCustomizer.class,
          RoutingRequestCustomizer.class,
          KeyResolver.class);

  @Produces
  @Singleton
  @DefaultBean
  ApplicationSettings settings(SmallRyeConfig config) {
    Plugins plugins = Plugins.load(Thread.currentThread().getContextClassLoader());
    PropertyCatalog catalog = QuarkusOrder.PROPERTIES.catalog(plugins);
    HostProfile host = HostProfile.application();
    boolean ownStore = handles(StorageProvider.class).findAny().isPresent();
    return QuarkusOrder.PROPERTIES.parse(
        QuarkusProperties.of(config, catalog), plugins, ownStore ? host.withOwnStore() : host);
  }

  @Produces
  @Singleton
  @DefaultBean
  RedlineAssembly assembly(ApplicationSettings settings) {
    RedlineAssembly.Builder builder = RedlineAssembly.builder(settings.assembly());
    only(StorageProvider.class).ifPresent(builder::store);
    only(MetricsExporter.class).ifPresent(builder::metrics);
    only(PlanRegistry.class).ifPresent(builder::planRegistry);
    only(RuleSetProvider.class).ifPresent(builder::ruleSetProvider);
    own(ConfigProvider.class).forEach(builder::addSource);
    own(DecisionListener.class).forEach(builder::listener);
    own(RuleChange.Listener.class).forEach(builder::ruleChangeListener);
    return builder.hostObjects(new HostBeansOfArc()).start();
  }

  void close(@Disposes RedlineAssembly assembly) {
    assembly.close();
  }

  /** Finds the beans of the application for plugins. */
  private static final class HostBeansOfArc implements RedlineAssembly.HostObjects {
    @Override
    public <T> Optional<T> find(Class<T> type) {
      InjectableInstance<T> found = Arc.container().select(type);
      return found.isResolvable() ? Optional.of(found.get()) : Optional.empty();
    }
  }

  /** Returns the beans of the application of a type: those that are no default. */
  private static <T> Stream<T> own(Class<T> type) {
    return handles(type).map(InstanceHandle::get);
  }

  /**
   * Returns the bean of the application that replaces a part, if there is one. Of several, the
   * alternative that CDI chooses counts.
   *
   * @throws AmbiguousResolutionException if there are several otherwise; names them
   */
  private static <T> Optional<T> only(Class<T> type) {
    return only(type, handles(type).toList());
  }

  private static <T> Optional<T> only(Class<T> type, List<? extends InstanceHandle<T>> found) {
    if (found.size() < 2) {
      return found.stream().findFirst().map(InstanceHandle::get);
    }
    InjectableInstance<T> resolved = Arc.container().select(type);
    if (resolved.isResolvable()) {
      return Optional.of(resolved.get());
    }
    throw new AmbiguousResolutionException(
        "Redline uses one bean of type "
            + type.getName()
            + ", and there are "
            + found.size()
            + ": "
            + found.stream()
                .map(each -> origin(each.getBean()))
                .sorted()
                .collect(Collectors.joining(", "))
            + ". Remove all but one, or make one an @Alternative with a @Priority");
  }

  private static String origin(InjectableBean<?> bean) {
    String name = bean.getBeanClass().getName();
    return bean.getKind() == InjectableBean.Kind.CLASS ? name : "a producer of " + name;
  }

  private static <T> Stream<? extends InstanceHandle<T>> handles(Class<T> type) {
    return Arc.container().select(type).handlesStream().filter(each -> !isDefault(each));
  }

  private static boolean isDefault(InstanceHandle<?> handle) {
    return handle.getBean().isDefaultBean();
  }

  @Produces
  @Singleton
  @DefaultBean
  RateLimitEngine engine(RedlineAssembly assembly) {
    return assembly.engine();
  }

  @Produces
  @Singleton
  @DefaultBean
  @Typed(StorageProvider.class)
  StorageProvider store(RedlineAssembly assembly) {
    return assembly.store();
  }

  @Produces
  @Singleton
  @DefaultBean
  RateLimitHttp http(ApplicationSettings settings) {
    return RateLimitHttp.of(settings.core(), own(DenialCustomizer.class).toList());
  }

  @Produces
  @Singleton
  @DefaultBean
  ChosenHandler handler(ApplicationSettings settings, RateLimitEngine engine) {
    return ChosenHandler.of(
        settings,
        engine,
        only(
            RateLimitHandler.class,
            handles(RateLimitHandler.class)
                .filter(each -> !each.getBean().getTypes().contains(RateLimitEngine.class))
                .toList()));
  }

  @Produces
  @Singleton
  @DefaultBean
  UserVerification users(ApplicationSettings settings) {
    return UserVerification.start(settings);
  }

  void close(@Disposes UserVerification users) {
    users.close();
  }

  @Produces
  @Singleton
  RoutingRequests requests(UserVerification users, SmallRyeConfig config) {
    return new RoutingRequests(
        users.clientIdentity(),
        config.getOptionalValue("quarkus.http.root-path", String.class).orElse("/"),
        own(RoutingRequestCustomizer.class).toList());
  }

  @Produces
  @Singleton
  RoutingResponses responses(RateLimitHttp http) {
    return new RoutingResponses(http);
  }

  @Produces
  @Singleton
  @DefaultBean
  CallPlans callPlans(
      ApplicationSettings settings,
      ChosenHandler handler,
      RateLimitEngine engine,
      SmallRyeConfig config) {
    return CallPlans.builder(handler.handler())
        .engine(engine)
        .identity(settings.core().identity().settings())
        .onLimitExceed(settings.core().defaultPolicy())
        .decidedByServer(settings.assembly().remote().isPresent())
        .placeholders(text -> QuarkusProperties.resolve(config, text))
        .keyResolvers(RedlineBeans::keyResolver)
        .returnAdapter(MutinyAdapter.ofUni())
        .returnAdapter(MutinyAdapter.ofMulti())
        .build();
  }

  private static @Nullable KeyResolver keyResolver(String name) {
    InjectableInstance<KeyResolver> found =
        Arc.container().select(KeyResolver.class, NamedLiteral.of(name));
    return found.isResolvable() ? found.get() : null;
  }
}
