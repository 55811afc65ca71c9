package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import dev.redline.spring.boot.autoconfigure.EnableRedlineFilter;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A Spring MVC application with users, and a filter that counts attempts to log in. */
@SpringBootConfiguration
@EnableAutoConfiguration
@EnableRedlineFilter(name = "login", ruleSetId = "login", order = -200)
@Import(SecuredServletApplication.Profile.class)
public class SecuredServletApplication {
  @Bean
  SecurityFilterChain authentication(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
        .httpBasic(Customizer.withDefaults())
        .build();
  }

  @Bean
  UserDetailsService users() {
    return new InMemoryUserDetailsManager(SecuredBehaviour.users());
  }

  /** What only users see. */
  @RestController
  static class Profile {
    @GetMapping("/profile")
    String profile() {
      return "profile";
    }

    @GetMapping("/orders")
    @RateLimit("2/m")
    String orders() {
      return "orders";
    }
  }
}
