package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.ChosenHandler;
import dev.redline.application.UserVerification;
import dev.redline.application.WebFilterSettings;
import dev.redline.binding.servlet.ServletRateLimitFilter;
import dev.redline.binding.servlet.ServletRequestContextCustomizer;
import dev.redline.binding.servlet.ServletRequests;
import dev.redline.binding.servlet.ServletResponses;
import dev.redline.binding.web.CurrentRequest;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.spring.servlet.ServletCurrentRequest;
import dev.redline.spring.servlet.ServletDenialResolver;
import dev.redline.spring.web.AuthenticatedUser;
import dev.redline.spring.web.DenialHandlers;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** The filters of servlet applications. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@ConditionalOnClass(Filter.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@Import(RedlineServletAutoConfiguration.NamedFilters.class)
public class RedlineServletAutoConfiguration {
  private static final String FACTORY = "redlineServletFilters";

  @Bean
  @ConditionalOnMissingBean
  ServletRequests redlineServletRequests(
      UserVerification users, ObjectProvider<ServletRequestContextCustomizer> customizers) {
    return new ServletRequests(
        users.clientIdentity(), AuthenticatedUser::name, customizers.orderedStream().toList());
  }

  @Bean
  @ConditionalOnMissingBean
  ServletResponses redlineServletResponses(RateLimitHttp http) {
    return new ServletResponses(http);
  }

  @Bean
  CurrentRequest.Finder redlineCurrentRequest(
      ServletRequests requests, ServletResponses responses) {
    return ServletCurrentRequest.finder(requests, responses);
  }

  @Bean(FACTORY)
  ServletFilters redlineServletFilters(
      ApplicationSettings settings,
      ChosenHandler handler,
      ServletRequests requests,
      ServletResponses responses) {
    return new ServletFilters(settings, handler, requests, responses);
  }

  @Bean
  FilterRegistrationBean<ServletRateLimitFilter> redlineFilter(ServletFilters filters) {
    return filters.create(WebFilterSettings.DEFAULT);
  }

  /**
   * Creates filters by their names.
   *
   * @param settings the properties of filters
   * @param handler what decides
   * @param requests describes requests
   * @param responses writes decisions
   */
  record ServletFilters(
      ApplicationSettings settings,
      ChosenHandler handler,
      ServletRequests requests,
      ServletResponses responses) {
    /** Returns the registration of a filter, for the dispatcher type REQUEST alone. */
    public FilterRegistrationBean<ServletRateLimitFilter> create(String name) {
      WebFilterSettings filter = settings.filters().get(name);
      if (filter == null) {
        throw new IllegalStateException("rl.filters." + name + " was removed since the build");
      }
      FilterRegistrationBean<ServletRateLimitFilter> bean =
          new FilterRegistrationBean<>(
              new ServletRateLimitFilter(
                  settings.limiterOf(name, handler), filter.paths(), requests, responses));
      bean.setName(name.isEmpty() ? "redlineFilter" : "redlineFilter." + name);
      bean.setOrder(filter.order());
      bean.setEnabled(filter.enabled());
      bean.setDispatcherTypes(DispatcherType.REQUEST);
      bean.setAsyncSupported(true);
      return bean;
    }
  }

  /** The response to denied calls of controllers. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HandlerExceptionResolver.class)
  static class DenialConfiguration {
    @Bean
    @ConditionalOnMissingBean
    ServletDenialResolver redlineDenialResolver(
        ServletResponses responses,
        ApplicationContext context,
        ObjectProvider<HandlerExceptionResolver> resolvers) {
      return new ServletDenialResolver(
          responses, new DenialHandlers(context), () -> resolvers.orderedStream().toList());
    }
  }

  /** Registers the filters of {@code rl.filters.<name>.*}. */
  static final class NamedFilters extends NamedFilterRegistrar {
    NamedFilters() {
      super(FilterRegistrationBean.class, FACTORY);
    }
  }
}
