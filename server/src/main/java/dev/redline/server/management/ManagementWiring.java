package dev.redline.server.management;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.store.StorageProvider;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.server.settings.ServerSettings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.statsd.StatsdMeterRegistry;
import java.util.Map;
import org.apache.catalina.core.StandardHost;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.micrometer.metrics.autoconfigure.MeterRegistryCustomizer;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The Spring beans of the management port; the rest is Spring Boot's actuator. */
@Configuration(proxyBeanMethods = false)
public class ManagementWiring {
  /** How many threads are reserved for health probes. */
  private static final int PROBES = 4;

  /** Becomes the health component {@code redline}, after the name of this method. */
  @Bean
  RedlineHealth redlineHealthIndicator(RedlineAssembly assembly) {
    return new RedlineHealth(assembly::health);
  }

  @Bean
  RedlineEndpoint redlineEndpoint(
      RateLimitEngine engine, RuleLoader loader, StorageProvider store, ServerSettings settings) {
    return new RedlineEndpoint(engine, loader, store, settings);
  }

  @Bean
  InfoContributor redlineInfo() {
    return info ->
        info.withDetail("app", Map.of("name", "redline", "version", ServerVersion.current()));
  }

  @Bean
  WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> managementServer(
      @Value("${server.tomcat.threads.max}") int threads) {
    return factory -> {
      factory.addEngineValves(new UnreadBodyValve(), new ReservedThreadsValve(threads - PROBES));
      factory.addContextCustomizers(
          context -> {
            if (context.getParent() instanceof StandardHost host) {
              host.setErrorReportValveClass(ProblemReportValve.class.getName());
            }
          });
    };
  }

  @Bean
  FilterRegistrationBean<IgnoredBodyFilter> ignoredBodies() {
    FilterRegistrationBean<IgnoredBodyFilter> registration =
        new FilterRegistrationBean<>(new IgnoredBodyFilter());
    registration.addUrlPatterns("/actuator/*");
    return registration;
  }

  @Bean
  MeterFilter managementPlaneTags() {
    return new ManagementPlaneTags();
  }

  /** StatsD daemons compute percentiles themselves and would get a gauge for each bucket. */
  @Bean
  MeterRegistryCustomizer<MeterRegistry> latencyHistograms() {
    return registry -> {
      if (!(registry instanceof StatsdMeterRegistry)) {
        registry.config().meterFilter(new LatencyHistograms());
      }
    };
  }
}
