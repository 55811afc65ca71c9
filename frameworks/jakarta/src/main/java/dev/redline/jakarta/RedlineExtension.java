package dev.redline.jakarta;

import dev.redline.assembly.MergedProperties;
import dev.redline.assembly.Plugins;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.binding.AnnotationLookup;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.settings.PropertyCatalog;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.ProcessManagedBean;
import jakarta.enterprise.inject.spi.configurator.AnnotatedMethodConfigurator;
import jakarta.enterprise.inject.spi.configurator.AnnotatedTypeConfigurator;
import jakarta.enterprise.util.AnnotationLiteral;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits the methods of beans with {@link dev.redline.core.RateLimit}. It binds the interceptor to
 * them, starts the engine when the container has validated the application, reports all mistakes
 * together as deployment problems, and closes the engine when the application is undeployed.
 */
public class RedlineExtension implements Extension {
  private static final Logger LOG = System.getLogger(RedlineExtension.class.getName());

  private final Plugins plugins = Plugins.load(RedlineExtension.class.getClassLoader());
  private final PropertyCatalog catalog = LimitedApplication.PROPERTIES.catalog(plugins);
  private final AnnotationLookup annotations = new AnnotationLookup();
  private final Set<Class<?>> beanTypes = new LinkedHashSet<>();
  private @Nullable LimitedApplication application;

  /** Creates the extension; the container calls it. */
  public RedlineExtension() {}

  void addInterceptor(@Observes BeforeBeanDiscovery event) {
    int order =
        LimitedApplication.PROPERTIES.annotationOrder(ApplicationConfig.read(catalog).properties());
    event
        .addAnnotatedType(MethodLimitInterceptor.class, MethodLimitInterceptor.class.getName())
        .add(new PriorityLiteral(order));
    event.addAnnotatedType(RequestHolder.class, RequestHolder.class.getName());
  }

  /** The priority of the interceptor, which a property sets. */
  @SuppressWarnings("ClassExplicitlyAnnotation") // as literals of annotations are made in CDI
  private static final class PriorityLiteral extends AnnotationLiteral<Priority>
      implements Priority {
    private static final long serialVersionUID = 1L;

    private final int value;

    PriorityLiteral(int value) {
      this.value = value;
    }

    @Override
    public int value() {
      return value;
    }
  }

  /**
   * Binds the interceptor to limited methods, also those whose limit is on a superclass, an
   * interface or another annotation; so all types are looked at, not only annotated ones.
   */
  <T> void bindInterceptor(@Observes ProcessAnnotatedType<T> event) {
    Class<T> type = event.getAnnotatedType().getJavaClass();
    if (type.isInterface() || Modifier.isFinal(type.getModifiers())) {
      return;
    }
    try {
      bind(type, event);
    } catch (LinkageError | TypeNotPresentException e) {
      // No bean can be made of a class that cannot be loaded completely.
      LOG.log(Level.DEBUG, "cannot look for limits in " + type.getName(), e);
    }
  }

  private <T> void bind(Class<T> type, ProcessAnnotatedType<T> event) {
    Set<Method> limited = limitedMethods(type);
    if (limited.isEmpty()) {
      return;
    }
    AnnotatedTypeConfigurator<T> configured = event.configureAnnotatedType();
    for (AnnotatedMethodConfigurator<? super T> each : configured.methods()) {
      if (limited.remove(each.getAnnotated().getJavaMember())) {
        each.add(RateLimited.Literal.INSTANCE);
      }
    }
    if (!limited.isEmpty()) {
      // Default methods of interfaces, which are not among the methods of the type.
      configured.add(RateLimited.Literal.INSTANCE);
    }
  }

  private Set<Method> limitedMethods(Class<?> type) {
    Set<Method> limited = new LinkedHashSet<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      addLimited(each.getDeclaredMethods(), type, limited);
    }
    addLimited(type.getMethods(), type, limited);
    return limited;
  }

  private void addLimited(Method[] methods, Class<?> type, Set<Method> limited) {
    for (Method method : methods) {
      if (isInterceptable(method) && annotations.isLimited(method, type)) {
        limited.add(method);
      }
    }
  }

  private static boolean isInterceptable(Method method) {
    int modifiers = method.getModifiers();
    return !method.isSynthetic()
        && !Modifier.isPrivate(modifiers)
        && !Modifier.isStatic(modifiers)
        && !Modifier.isFinal(modifiers)
        && !Modifier.isAbstract(modifiers);
  }

  void collect(@Observes ProcessManagedBean<?> event) {
    beanTypes.add(event.getBean().getBeanClass());
  }

  void addBeans(@Observes AfterBeanDiscovery event) {
    add(event, LimitedApplication.class, Function.identity());
    add(event, RedlineAssembly.class, LimitedApplication::assembly);
    // Not as a RateLimitHandler, of which the application may have its own bean.
    add(event, RateLimitEngine.class, LimitedApplication::engine);
  }

  private <T> void add(
      AfterBeanDiscovery event, Class<T> type, Function<LimitedApplication, T> part) {
    event
        .<T>addBean()
        .id(type.getName())
        .beanClass(type)
        .types(type, Object.class)
        .scope(Dependent.class)
        .createWith(context -> part.apply(running()));
  }

  private LimitedApplication running() {
    if (application == null) {
      throw new IllegalStateException("the engine starts when all beans have been validated");
    }
    return application;
  }

  void start(@Observes AfterDeploymentValidation event, BeanManager manager) {
    MergedProperties.warnOfUnknown(System.getenv(), catalog);
    try {
      application =
          LimitedApplication.start(
              ApplicationConfig.read(catalog),
              plugins,
              new ApplicationBeans(manager.createInstance()),
              beanTypes);
    } catch (RuntimeException e) {
      event.addDeploymentProblem(e);
    }
  }

  void stop(@Observes BeforeShutdown event) {
    if (application != null) {
      application.close();
      application = null;
    }
  }
}
