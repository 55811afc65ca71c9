package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.assembly.RedlineAssembly;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/redline} and the version in {@code /actuator/info}. */
@AutoConfiguration(after = RedlineAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, InfoContributor.class})
public class RedlineActuatorAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  RateLimitingEndpoint redlineEndpoint(RedlineAssembly assembly, ApplicationSettings settings) {
    return new RateLimitingEndpoint(assembly, settings);
  }

  @Bean
  InfoContributor redlineInfo() {
    Map<String, String> details = Map.of("version", RedlineVersion.current());
    return builder -> builder.withDetail("redline", details);
  }
}
