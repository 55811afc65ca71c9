package dev.redline.jakarta;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.DefaultOrder;
import dev.redline.application.UserVerification;
import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.binding.CallPlan;
import dev.redline.binding.CallPlans;
import dev.redline.binding.web.ClientIdentity;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitHandler;
import dev.redline.core.RuleChange;
import dev.redline.core.key.KeyResolver;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.StorageProvider;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An application with its engine, and what interceptor, filter and resources need of it. Beans of
 * the application replace its parts: {@link StorageProvider}, {@link MetricsExporter}, {@link
 * PlanRegistry}, {@link RuleSetProvider}, {@link RateLimitHandler}; others are added. Thread-safe.
 */
final class LimitedApplication implements AutoCloseable {
  /** Reads the properties of Jakarta EE applications. */
  static final ApplicationSettings.Reader PROPERTIES =
      new ApplicationSettings.Reader(
          new DefaultOrder(
              -50,
              "the place among the filters of Redline; one below 0 is before the filters of the"
                  + " application, others are after them"),
          // Transactions have 200; the container checks roles before any interceptor.
          new DefaultOrder(
              190,
              "the priority of the interceptor of `@RateLimit`; by default before transactions,"
                  + " caches and fault tolerance"));

  private final ApplicationSettings settings;
  private final RedlineAssembly assembly;
  private final ChosenHandler handler;
  private final UserVerification users;
  private final RateLimitHttp http;
  private final CallPlans plans;
  private final ApplicationBeans beans;
  private final RequestHolder requests;
  private final Set<Class<?>> beanTypes;
  private final Map<Class<?>, Class<?>> beanTypeOf = new ConcurrentHashMap<>();

  private LimitedApplication(
      ApplicationSettings settings,
      RedlineAssembly assembly,
      ApplicationConfig config,
      ApplicationBeans beans,
      Set<Class<?>> beanTypes) {
    this.settings = settings;
    this.assembly = assembly;
    this.beans = beans;
    this.beanTypes = Set.copyOf(beanTypes);
    this.handler =
        ChosenHandler.of(settings, assembly.engine(), beans.only(RateLimitHandler.class));
    this.http = RateLimitHttp.of(settings.core(), beans.all(DenialCustomizer.class));
    this.requests = beans.only(RequestHolder.class).orElseThrow();
    this.plans =
        CallPlans.builder(handler.handler())
            .engine(assembly.engine())
            .identity(settings.core().identity().settings())
            .onLimitExceed(settings.core().defaultPolicy())
            .decidedByServer(settings.assembly().remote().isPresent())
            .placeholders(config::resolve)
            .keyResolvers(name -> beans.named(KeyResolver.class, name))
            .build();
    this.users = UserVerification.start(settings);
  }

  /**
   * Starts the engine, and checks the limits of all beans.
   *
   * @param beanTypes the classes of the beans
   * @throws dev.redline.core.settings.InvalidSettingsException if a property is wrong
   * @throws dev.redline.binding.InvalidBindingException if a limit is wrong; names all of them
   */
  static LimitedApplication start(
      ApplicationConfig config, Plugins plugins, ApplicationBeans beans, Set<Class<?>> beanTypes) {
    Optional<StorageProvider> store = beans.only(StorageProvider.class);
    HostProfile host = HostProfile.application();
    ApplicationSettings settings =
        PROPERTIES.parse(
            config.properties(), plugins, store.isPresent() ? host.withOwnStore() : host);
    RedlineAssembly.Builder builder = RedlineAssembly.builder(settings.assembly());
    store.ifPresent(builder::store);
    beans.only(MetricsExporter.class).ifPresent(builder::metrics);
    beans.only(PlanRegistry.class).ifPresent(builder::planRegistry);
    beans.only(RuleSetProvider.class).ifPresent(builder::ruleSetProvider);
    beans.all(ConfigProvider.class).forEach(builder::addSource);
    beans.all(DecisionListener.class).forEach(builder::listener);
    beans.all(RuleChange.Listener.class).forEach(builder::ruleChangeListener);
    RedlineAssembly assembly = builder.hostObjects(beans).start();
    LimitedApplication application;
    try {
      application = new LimitedApplication(settings, assembly, config, beans, beanTypes);
    } catch (Throwable e) {
      assembly.close();
      throw e;
    }
    try {
      if (settings.annotations().enabled()) {
        beanTypes.forEach(application::plan);
        application.plans.check();
      }
      return application;
    } catch (Throwable e) {
      application.close();
      throw e;
    }
  }

  /** Plans the limited methods of a bean; one that cannot be intercepted is a mistake. */
  private void plan(Class<?> type) {
    for (Method method : plans.add(type)) {
      int modifiers = method.getModifiers();
      if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
        // The plans report it themselves.
        continue;
      }
      boolean finalType = Modifier.isFinal(type.getModifiers());
      if (finalType || Modifier.isFinal(modifiers)) {
        plans.addProblem(
            type.getName() + "." + method.getName(),
            "calls of a final "
                + (finalType ? "class" : "method")
                + " cannot be intercepted: remove final");
      }
    }
  }

  /** Returns the application of the calling code; empty where CDI has not started. */
  static Optional<LimitedApplication> find() {
    try {
      Instance<LimitedApplication> found = CDI.current().select(LimitedApplication.class);
      return found.isResolvable() ? Optional.of(found.get()) : Optional.empty();
    } catch (IllegalStateException e) {
      // There is no CDI container here.
      return Optional.empty();
    }
  }

  ApplicationSettings settings() {
    return settings;
  }

  RedlineAssembly assembly() {
    return assembly;
  }

  RateLimitEngine engine() {
    return assembly.engine();
  }

  ChosenHandler handler() {
    return handler;
  }

  ClientIdentity clientIdentity() {
    return users.clientIdentity();
  }

  RateLimitHttp http() {
    return http;
  }

  <T> List<T> beans(Class<T> type) {
    return beans.all(type);
  }

  /**
   * Returns the plan of a method, or null if it is not limited.
   *
   * @param type the class of the object, which may be one that the container generated
   */
  @Nullable CallPlan plan(Method method, Class<?> type) {
    return settings.annotations().enabled()
        ? plans.of(method, beanTypeOf.computeIfAbsent(type, this::beanType))
        : null;
  }

  private Class<?> beanType(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      if (beanTypes.contains(each)) {
        return each;
      }
    }
    return type;
  }

  /** Returns whether calls of a class would be limited, but no bean is made of it. */
  boolean isOutOfReach(Class<?> type, Method method) {
    return settings.annotations().enabled()
        && !beanTypes.contains(beanType(type))
        && plans.isLimited(method, type);
  }

  /** Sets the request that methods within the current request scope belong to. */
  void open(CurrentRequest current) {
    try {
      requests.open(current);
    } catch (ContextNotActiveException e) {
      // In this container filters are outside of the request scope: resources open it again.
    }
  }

  /** Returns the request that the calling thread handles, or null. */
  @Nullable CurrentRequest currentRequest() {
    try {
      return requests.request();
    } catch (ContextNotActiveException e) {
      return null;
    }
  }

  @Override
  public void close() {
    users.close();
    assembly.close();
  }
}
