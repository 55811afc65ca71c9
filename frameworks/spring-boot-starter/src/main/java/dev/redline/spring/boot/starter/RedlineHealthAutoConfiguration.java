package dev.redline.spring.boot.starter;

import dev.redline.assembly.HealthReport;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.spring.boot.autoconfigure.RedlineAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health component {@code redline}, with the types of Spring Boot 4. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
public class RedlineHealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "redlineHealthIndicator")
  HealthIndicator redlineHealthIndicator(RedlineAssembly assembly) {
    return () -> {
      HealthReport report = assembly.health();
      return (report.up() ? Health.up() : Health.down()).withDetails(report.details()).build();
    };
  }
}
