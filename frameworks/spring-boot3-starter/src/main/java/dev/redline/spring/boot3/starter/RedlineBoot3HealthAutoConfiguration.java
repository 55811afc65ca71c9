package dev.redline.spring.boot3.starter;

import dev.redline.assembly.HealthReport;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.spring.boot.autoconfigure.RedlineAutoConfiguration;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health component {@code redline}, with the types of Spring Boot 3.5. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
public class RedlineBoot3HealthAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean(name = "redlineHealthIndicator")
  HealthIndicator redlineHealthIndicator(RedlineAssembly assembly) {
    return () -> {
      HealthReport report = assembly.health();
      return (report.up() ? Health.up() : Health.down()).withDetails(report.details()).build();
    };
  }
}
