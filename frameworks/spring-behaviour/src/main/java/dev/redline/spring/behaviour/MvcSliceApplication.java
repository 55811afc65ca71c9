package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application whose tests are slices of Spring MVC. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({OpenServletSecurity.class, MvcSliceApplication.MvcOrders.class})
public class MvcSliceApplication {
  /** The endpoints. */
  @RestController
  static class MvcOrders {
    @GetMapping("/orders")
    @RateLimit(value = "2/m", id = "orders")
    String orders() {
      return "orders";
    }

    @GetMapping({"/filtered", "/free"})
    String plain() {
      return "plain";
    }
  }
}
