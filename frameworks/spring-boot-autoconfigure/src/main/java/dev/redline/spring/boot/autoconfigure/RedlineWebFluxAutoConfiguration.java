package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.UserVerification;
import dev.redline.application.WebFilterSettings;
import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.spring.web.DenialHandlers;
import dev.redline.spring.webflux.DenialFirstAdapter;
import dev.redline.spring.webflux.ExchangeLimiter;
import dev.redline.spring.webflux.ReactiveDenialAdvice;
import dev.redline.spring.webflux.ReactiveDenialHandler;
import dev.redline.spring.webflux.ReactiveRateLimitFilter;
import dev.redline.spring.webflux.ReactiveRequestContextCustomizer;
import dev.redline.spring.webflux.ReactiveRequests;
import dev.redline.spring.webflux.ReactiveResponses;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.server.WebFilter;

/** The filters of WebFlux applications. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@Import(RedlineWebFluxAutoConfiguration.NamedFilters.class)
public class RedlineWebFluxAutoConfiguration {
  private static final String FACTORY = "redlineWebFilters";
  private static final FilterPaths NO_PATHS = FilterPaths.of(List.of(), List.of("/**"));

  @Bean
  @ConditionalOnMissingBean
  ReactiveRequests redlineReactiveRequests(
      UserVerification users, ObjectProvider<ReactiveRequestContextCustomizer> customizers) {
    return new ReactiveRequests(users.clientIdentity(), customizers.orderedStream().toList());
  }

  @Bean
  @ConditionalOnMissingBean
  ReactiveResponses redlineReactiveResponses(RateLimitHttp http) {
    return new ReactiveResponses(http);
  }

  @Bean(FACTORY)
  WebFilters redlineWebFilters(
      ApplicationSettings settings,
      ChosenHandler handler,
      ReactiveRequests requests,
      ReactiveResponses responses) {
    return new WebFilters(settings, handler, requests, responses);
  }

  @Bean
  ReactiveRateLimitFilter redlineFilter(WebFilters filters) {
    return filters.create(WebFilterSettings.DEFAULT);
  }

  /** Puts the exchange into the context of subscribers, with all that earlier filters added. */
  @Bean
  @Order(Ordered.LOWEST_PRECEDENCE)
  ServerWebExchangeContextFilter redlineExchangeContext() {
    return new ServerWebExchangeContextFilter();
  }

  /** The responses to denied calls of controllers. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HandlerAdapter.class)
  static class DenialConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ReactiveDenialHandler redlineDenialHandler(ReactiveResponses responses) {
      return new ReactiveDenialHandler(responses);
    }

    @Bean
    @ConditionalOnMissingBean
    ReactiveDenialAdvice redlineDenialAdvice() {
      return new ReactiveDenialAdvice();
    }

    @Bean
    @ConditionalOnMissingBean
    DenialFirstAdapter redlineDenialFirstAdapter(
        ObjectProvider<RequestMappingHandlerAdapter> controllers, ApplicationContext context) {
      return new DenialFirstAdapter(controllers::getObject, new DenialHandlers(context));
    }
  }

  /**
   * Creates filters by their names.
   *
   * @param settings the properties of filters
   * @param handler what decides
   * @param requests describes requests
   * @param responses writes decisions
   */
  record WebFilters(
      ApplicationSettings settings,
      ChosenHandler handler,
      ReactiveRequests requests,
      ReactiveResponses responses) {
    /** Returns a filter; one that is disabled covers no path. */
    public ReactiveRateLimitFilter create(String name) {
      WebFilterSettings filter = settings.filters().get(name);
      if (filter == null) {
        throw new IllegalStateException("rl.filters." + name + " was removed since the build");
      }
      RequestLimiter limiter = settings.limiterOf(name, handler);
      return new ReactiveRateLimitFilter(
          new ExchangeLimiter(limiter, settings.core().defaultRuleSetId(), requests, responses),
          filter.enabled() ? filter.paths() : NO_PATHS,
          filter.order());
    }
  }

  /** Registers the filters of {@code rl.filters.<name>.*}. */
  static final class NamedFilters extends NamedFilterRegistrar {
    NamedFilters() {
      super(ReactiveRateLimitFilter.class, FACTORY);
    }
  }
}
