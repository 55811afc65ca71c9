package dev.redline.spring.behaviour;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Lets everybody in: Spring Security is on the class path of all applications. */
@Configuration(proxyBeanMethods = false)
@EnableWebFluxSecurity
public class OpenWebFluxSecurity {
  @Bean
  SecurityWebFilterChain noAuthentication(ServerHttpSecurity http) {
    return http.authorizeExchange(all -> all.anyExchange().permitAll())
        .csrf(ServerHttpSecurity.CsrfSpec::disable)
        .build();
  }
}
