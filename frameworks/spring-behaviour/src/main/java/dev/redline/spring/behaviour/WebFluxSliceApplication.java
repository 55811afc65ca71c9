package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** An application whose tests are slices of WebFlux. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({OpenWebFluxSecurity.class, WebFluxSliceApplication.WebFluxOrders.class})
public class WebFluxSliceApplication {
  /** The endpoints. */
  @RestController
  static class WebFluxOrders {
    @GetMapping("/orders")
    @RateLimit(value = "2/m", id = "orders")
    Mono<String> orders() {
      return Mono.just("orders");
    }

    @GetMapping({"/filtered", "/free"})
    Mono<String> plain() {
      return Mono.just("plain");
    }
  }
}
