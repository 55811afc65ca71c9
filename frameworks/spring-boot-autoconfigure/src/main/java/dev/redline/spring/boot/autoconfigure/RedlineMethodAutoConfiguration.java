package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.binding.CallPlans;
import dev.redline.binding.ReturnAdapter;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.KeyResolver;
import dev.redline.spring.method.LimitedBeansCheck;
import dev.redline.spring.method.RateLimitAdvisor;
import dev.redline.spring.method.RateLimitInterceptor;
import dev.redline.spring.method.RateLimitInterceptor.MethodLimits;
import dev.redline.spring.method.SpelCompiler;
import dev.redline.spring.webflux.PublisherAdapter;
import dev.redline.spring.webflux.ReactiveRequests;
import dev.redline.spring.webflux.ReactiveResponses;
import java.util.List;
import java.util.function.Predicate;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/** {@code @RateLimit} on methods of beans. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@Import(RedlineMethodAutoConfiguration.AutoProxies.class)
public class RedlineMethodAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  CallPlans redlineCallPlans(
      ApplicationSettings settings,
      ChosenHandler handler,
      RateLimitEngine engine,
      Environment environment,
      ConfigurableListableBeanFactory beans,
      ObjectProvider<ReturnAdapters> adapters) {
    CallPlans.Builder builder =
        CallPlans.builder(handler.handler())
            .engine(engine)
            .expressions(new SpelCompiler())
            .identity(settings.core().identity().settings())
            .onLimitExceed(settings.core().defaultPolicy())
            .decidedByServer(settings.assembly().remote().isPresent())
            .placeholders(environment::resolveRequiredPlaceholders)
            .keyResolvers(
                name ->
                    beans.containsBean(name) && beans.isTypeMatch(name, KeyResolver.class)
                        ? beans.getBean(name, KeyResolver.class)
                        : null);
    adapters
        .orderedStream()
        .flatMap(all -> all.adapters().stream())
        .forEach(builder::returnAdapter);
    return builder.build();
  }

  @Bean
  MethodLimits redlineMethodLimits(
      ApplicationSettings settings,
      CallPlans plans,
      ObjectProvider<CurrentRequest.Finder> requests) {
    CurrentRequest.Finder finder = requests.getIfAvailable(() -> () -> null);
    return new MethodLimits(settings.annotations().enabled(), plans, finder);
  }

  /** Needs no other bean yet: advisors are created before the beans they are applied to. */
  @Bean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitAdvisor redlineAdvisor(
      ObjectProvider<MethodLimits> limits, ConfigurableEnvironment environment) {
    int order =
        SpringOrder.PROPERTIES.annotationOrder(RedlineAutoConfiguration.properties(environment));
    return new RateLimitAdvisor(new RateLimitInterceptor(limits::getObject), order);
  }

  @Bean
  LimitedBeansCheck redlineLimitedBeansCheck(
      ApplicationSettings settings,
      ConfigurableListableBeanFactory beans,
      CallPlans plans,
      ObjectProvider<ReturnAdapters> adapters) {
    List<ReturnAdapters> reactive =
        adapters.orderedStream().filter(ReturnAdapters::knowRequest).toList();
    Predicate<Class<?>> knowsRequest =
        type -> reactive.isEmpty() || reactive.stream().anyMatch(all -> all.accept(type));
    return new LimitedBeansCheck(beans, plans, settings.annotations().enabled(), knowsRequest);
  }

  /** Makes proxies for advisors, of the classes themselves as Spring Boot does. */
  static final class AutoProxies implements ImportBeanDefinitionRegistrar {
    @Override
    public void registerBeanDefinitions(
        AnnotationMetadata importing, BeanDefinitionRegistry registry) {
      AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
      AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
    }
  }

  /**
   * The adapters of asynchronous types on the class path.
   *
   * @param adapters the adapters
   * @param knowRequest whether they alone know the current request, from the subscriber's context
   */
  record ReturnAdapters(List<ReturnAdapter> adapters, boolean knowRequest) {
    boolean accept(Class<?> type) {
      return adapters.stream().anyMatch(adapter -> adapter.accepts(type));
    }
  }

  /** Mono and Flux, in WebFlux and elsewhere. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Mono.class, ServerWebExchange.class})
  static class ReactorConfiguration {
    @Bean
    ReturnAdapters redlineReactorAdapters(
        ObjectProvider<ReactiveRequests> requests, ObjectProvider<ReactiveResponses> responses) {
      ReactiveRequests describer = requests.getIfAvailable();
      ReactiveResponses writer = responses.getIfAvailable();
      return new ReturnAdapters(
          List.of(
              PublisherAdapter.ofMono(describer, writer),
              PublisherAdapter.ofFlux(describer, writer)),
          describer != null);
    }
  }
}
