package dev.redline.quarkus.deployment;

import dev.redline.binding.InvalidBindingException;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.internal.token.TokenVerifierFactory;
import dev.redline.core.spi.MetricsExporterFactory;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.StoreFactory;
import dev.redline.quarkus.DenialMapper;
import dev.redline.quarkus.LimitedMethodInterceptor;
import dev.redline.quarkus.LiveKillSwitch;
import dev.redline.quarkus.MethodLimiting;
import dev.redline.quarkus.QuarkusOrder;
import dev.redline.quarkus.RateLimitBinding;
import dev.redline.quarkus.RateLimitReadiness;
import dev.redline.quarkus.RedlineBeans;
import dev.redline.quarkus.RedlineRecorder;
import dev.redline.quarkus.RoutingFilters;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.arc.deployment.AnnotationsTransformerBuildItem;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.BeanDiscoveryFinishedBuildItem;
import io.quarkus.arc.deployment.UnremovableBeanBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem;
import io.quarkus.arc.deployment.ValidationPhaseBuildItem.ValidationErrorBuildItem;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.builditem.FeatureBuildItem;
import io.quarkus.deployment.builditem.IndexDependencyBuildItem;
import io.quarkus.deployment.builditem.ServiceStartBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import io.quarkus.resteasy.reactive.spi.ExceptionMapperBuildItem;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.ws.rs.Priorities;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What Redline adds to the build of a Quarkus application. */
class RedlineProcessor {
  private static final Logger LOG = Logger.getLogger(RedlineProcessor.class);
  private static final DotName INTERCEPTOR = DotName.createSimple(LimitedMethodInterceptor.class);
  private static final DotName PRIORITY = DotName.createSimple(Priority.class);
  private static final Set<String> REMOTE_STORES = Set.of("REDIS", "HAZELCAST", "JDBC");

  @BuildStep
  FeatureBuildItem feature() {
    return new FeatureBuildItem("redline");
  }

  @BuildStep
  IndexDependencyBuildItem indexOfAnnotation() {
    return new IndexDependencyBuildItem("dev.redline", "redline-core");
  }

  @BuildStep
  AdditionalBeanBuildItem beans() {
    return AdditionalBeanBuildItem.builder()
        .addBeanClasses(
            RedlineBeans.class,
            RoutingFilters.class,
            MethodLimiting.class,
            LiveKillSwitch.class,
            LimitedMethodInterceptor.class,
            RateLimitBinding.class)
        .setUnremovable()
        .build();
  }

  @BuildStep
  UnremovableBeanBuildItem beansThatAreLookedUp() {
    return UnremovableBeanBuildItem.beanTypes(RedlineBeans.LOOKED_UP.toArray(Class<?>[]::new));
  }

  @BuildStep
  AnnotationsTransformerBuildItem interceptLimitedMethods(CombinedIndexBuildItem combined) {
    LimitIndex limits = new LimitIndex(combined.getComputingIndex());
    AnnotationInstance binding = AnnotationInstance.builder(RateLimitBinding.class).build();
    return new AnnotationsTransformerBuildItem(
        AnnotationTransformation.builder()
            .whenDeclaration(
                declaration ->
                    switch (declaration.kind()) {
                      case METHOD -> limits.isLimited(declaration.asMethod());
                      case CLASS -> limits.isBoundAsAWhole(declaration.asClass());
                      default -> false;
                    })
            .transform(context -> context.add(binding)));
  }

  /** The order of interceptors is fixed at build time, so this property is too. */
  private static int interceptorOrder() {
    return ConfigProvider.getConfig()
        .getOptionalValue("rl.annotations.order", Integer.class)
        .orElse(QuarkusOrder.INTERCEPTOR_BEFORE_CACHE);
  }

  @BuildStep
  AnnotationsTransformerBuildItem orderInterceptor() {
    AnnotationInstance priority =
        AnnotationInstance.builder(Priority.class).value(interceptorOrder()).build();
    return new AnnotationsTransformerBuildItem(
        AnnotationTransformation.forClasses()
            .whenClass(INTERCEPTOR)
            .transform(
                context -> {
                  context.remove(each -> each.name().equals(PRIORITY));
                  context.add(priority);
                }));
  }

  @BuildStep
  LimitedClassesBuildItem limitedClasses(
      BeanDiscoveryFinishedBuildItem beans, CombinedIndexBuildItem combined) {
    LimitIndex limits = new LimitIndex(combined.getComputingIndex());
    Set<ClassInfo> intercepted =
        beans.beanStream().filter(bean -> bean.isClassBean() || bean.isSynthetic()).stream()
            .map(BeanInfo::getImplClazz)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    for (String name : limits.outOfReach(combined.getIndex().getKnownClasses(), intercepted)) {
      LOG.warnf(
          "%s has @RateLimit, but is no bean, so nothing limits its methods. Give it a scope, such as"
              + " @ApplicationScoped",
          name);
    }
    return new LimitedClassesBuildItem(
        beans.beanStream().classBeans().stream()
            .map(BeanInfo::getImplClazz)
            .filter(limits::mayHaveLimits)
            .map(type -> type.name().toString())
            .sorted()
            .distinct()
            .toList());
  }

  @BuildStep
  void check(
      ValidationPhaseBuildItem phase,
      LimitedClassesBuildItem limited,
      BuildProducer<ValidationErrorBuildItem> errors) {
    LimitedMethodsCheck check = new LimitedMethodsCheck();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    for (String name : limited.names()) {
      try {
        check.add(Class.forName(name, false, loader));
      } catch (ClassNotFoundException e) {
        errors.produce(new ValidationErrorBuildItem(e));
      }
    }
    try {
      check.report();
    } catch (InvalidBindingException e) {
      errors.produce(new ValidationErrorBuildItem(new DeploymentException(e.getMessage(), e)));
    }
    String remote = decidesElsewhere();
    if (remote != null) {
      for (String method : check.methodsThatCannotWait()) {
        LOG.warnf(
            "%s is limited and @NonBlocking, and returns a plain value: it cannot wait for %s."
                + " Return a Uni, or remove @NonBlocking",
            method, remote);
      }
    }
  }

  /** Returns what decides over the network, by the properties of the build, or null. */
  private static @Nullable String decidesElsewhere() {
    if (property("rl.handler").equals("REMOTE")) {
      return "the server of rl.handler=REMOTE";
    }
    String store = property("rl.storage.type");
    return REMOTE_STORES.contains(store) ? "the store " + store : null;
  }

  private static String property(String name) {
    return ConfigProvider.getConfig()
        .getOptionalValue(name, String.class)
        .orElse("")
        .toUpperCase(Locale.ROOT);
  }

  @BuildStep
  @Record(ExecutionTime.RUNTIME_INIT)
  ServiceStartBuildItem start(
      RedlineRecorder recorder, LimitedClassesBuildItem limited, BeanContainerBuildItem container) {
    recorder.start(limited.names(), interceptorOrder());
    return new ServiceStartBuildItem("redline");
  }

  @BuildStep
  void mapDenials(Capabilities capabilities, BuildProducer<ExceptionMapperBuildItem> mappers) {
    if (capabilities.isPresent(Capability.RESTEASY_REACTIVE)) {
      mappers.produce(
          new ExceptionMapperBuildItem(
              DenialMapper.class.getName(),
              RateLimitExceededException.class.getName(),
              Priorities.USER + 100,
              true));
    }
  }

  @BuildStep
  HealthBuildItem readiness() {
    return new HealthBuildItem(RateLimitReadiness.class.getName(), true);
  }

  /** For native images: plugins are found by their service files, limits by reflection. */
  @BuildStep
  void nativeImage(
      LimitedClassesBuildItem limited,
      BuildProducer<ServiceProviderBuildItem> services,
      BuildProducer<ReflectiveClassBuildItem> reflective) {
    for (Class<?> factory :
        List.of(
            StoreFactory.class,
            RuleSourceFactory.class,
            MetricsExporterFactory.class,
            TokenVerifierFactory.class)) {
      services.produce(ServiceProviderBuildItem.allProvidersFromClassPath(factory.getName()));
    }
    if (!limited.names().isEmpty()) {
      reflective.produce(
          ReflectiveClassBuildItem.builder(limited.names().toArray(String[]::new))
              .methods()
              .build());
    }
  }
}
