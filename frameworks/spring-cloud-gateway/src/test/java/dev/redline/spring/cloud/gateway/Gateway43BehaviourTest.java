package dev.redline.spring.cloud.gateway;

import dev.redline.behaviour.GatewayBehaviour;
import dev.redline.behaviour.RecordingUpstream;
import java.net.URI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** Routes of Spring Cloud Gateway 4.3 on Spring Boot 3.5. */
@Timeout(120)
class Gateway43BehaviourTest extends GatewayBehaviour {
  private static RecordingUpstream upstream;
  private static ConfigurableApplicationContext application;

  @BeforeAll
  static void start() {
    upstream = new RecordingUpstream();
    application = SpringApplication.run(Gateway43.class, arguments(upstream));
  }

  @AfterAll
  static void stop() {
    application.close();
    upstream.close();
  }

  @Override
  protected RecordingUpstream upstream() {
    return upstream;
  }

  @Override
  protected URI baseUri() {
    return URI.create(
        "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
  }

  @SpringBootConfiguration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Gateway43 {
    @Bean
    KeyResolver userOfHeader() {
      return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst("X-User"));
    }
  }
}
