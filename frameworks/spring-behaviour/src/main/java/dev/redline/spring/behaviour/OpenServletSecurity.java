package dev.redline.spring.behaviour;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Lets everybody in: Spring Security is on the class path of all applications. */
@Configuration(proxyBeanMethods = false)
@EnableWebSecurity
public class OpenServletSecurity {
  @Bean
  SecurityFilterChain noAuthentication(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
        .csrf(csrf -> csrf.disable())
        .build();
  }
}
