package dev.redline.spring.behaviour;

import dev.redline.binding.web.DenialCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Changes denials by some rules, as {@link dev.redline.behaviour.DenialBehaviour} expects. */
@Configuration(proxyBeanMethods = false)
class CustomizedDenials {
  @Bean
  DenialCustomizer denialCustomizer() {
    return (response, result) -> {
      if (result.ruleId().orElse("").startsWith("customized")) {
        response.header("X-RateLimit-Reset", null).header("Retry-After", "7");
      }
    };
  }
}
