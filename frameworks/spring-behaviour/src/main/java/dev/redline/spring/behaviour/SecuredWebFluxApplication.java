package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import dev.redline.spring.boot.autoconfigure.EnableRedlineFilter;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A WebFlux application with users, and a filter that counts attempts to log in. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableRedlineFilter(name = "login", ruleSetId = "login", order = -200)
@Import(SecuredWebFluxApplication.Profile.class)
public class SecuredWebFluxApplication {
  @Bean
  SecurityWebFilterChain authentication(ServerHttpSecurity http) {
    return http.authorizeExchange(all -> all.anyExchange().authenticated())
        .httpBasic(Customizer.withDefaults())
        .build();
  }

  @Bean
  ReactiveUserDetailsService users() {
    return new MapReactiveUserDetailsService(SecuredBehaviour.users());
  }

  /** What only users see. */
  @RestController
  static class Profile {
    @GetMapping("/profile")
    Mono<String> profile() {
      return Mono.just("profile");
    }

    @GetMapping("/orders")
    @RateLimit("2/m")
    Mono<String> orders() {
      return Mono.just("orders");
    }
  }
}
