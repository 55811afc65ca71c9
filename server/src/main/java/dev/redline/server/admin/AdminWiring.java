package dev.redline.server.admin;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.spi.RuleRepository;
import dev.redline.core.store.StorageProvider;
import dev.redline.server.access.TokenAuthenticator;
import dev.redline.server.rules.RuleDocuments;
import dev.redline.server.settings.ServerSettings;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The Spring beans of the admin API. */
@Configuration(proxyBeanMethods = false)
@Import({
  RulesController.class,
  HistoryController.class,
  RulesPageController.class,
  AdminErrors.class
})
public class AdminWiring {
  @Bean
  RuleEditor ruleEditor(
      RuleRepository repository, RuleDocuments documents, RateLimitEngine engine) {
    return new RuleEditor(repository, documents, engine, Clock.systemUTC());
  }

  @Bean
  OperationsController operations(
      RuleDocuments documents,
      RuleRepository repository,
      RateLimitEngine engine,
      MeterRegistry registry,
      StorageProvider store) {
    return new OperationsController(
        documents, repository, engine, new RuleCounts(registry, engine, store), Clock.systemUTC());
  }

  @Bean
  FilterRegistrationBean<AdminAuthenticator> adminAuthenticator(
      TokenAuthenticator authenticator, ServerSettings settings) {
    FilterRegistrationBean<AdminAuthenticator> registration =
        new FilterRegistrationBean<>(
            new AdminAuthenticator(authenticator, settings.server().bodyTimeout()));
    registration.addUrlPatterns("/admin/*", AdminPaths.RULES_PAGE);
    return registration;
  }
}
