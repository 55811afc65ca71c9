package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitExceededException;
import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** A WebFlux application whose advice handles every exception. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
  ThrowingObservers.class,
  CustomizedDenials.class,
  OpenWebFluxSecurity.class,
  WebFluxApplication.HeaderAuthentication.class,
  WebFluxApplication.Endpoints.class,
  WebFluxApplication.LocalHandler.class,
  WebFluxApplication.OwnDenials.class,
  WebFluxApplication.AdvisedDenials.class,
  WebFluxApplication.LateAdvice.class,
  WebFluxApplication.EveryException.class
})
public class WebFluxApplication {
  /** Handles what no other handler does, although Spring finds it first. */
  @RestControllerAdvice
  @Order(0)
  static class EveryException {
    @ExceptionHandler(Exception.class)
    ResponseEntity<String> handle(Exception e) {
      return ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR)
          .body("handled: " + e.getMessage());
    }
  }

  /** Takes the user from a header, after Spring Security and before Redline. */
  static class HeaderAuthentication implements WebFilter, Ordered {
    @Override
    public int getOrder() {
      return -75;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
      String user = exchange.getRequest().getHeaders().getFirst("X-User");
      Principal principal = () -> String.valueOf(user);
      return chain.filter(
          user == null ? exchange : exchange.mutate().principal(Mono.just(principal)).build());
    }
  }

  /** The endpoints; those under /filtered have rules. */
  @RestController
  static class Endpoints {
    private final AtomicInteger runs = new AtomicInteger();

    @GetMapping({"/filtered", "/filtered/twice", "/waiting", "/slow", "/free", "/denials/filter"})
    Mono<String> plain() {
      return Mono.just("plain");
    }

    @GetMapping("/filtered/async")
    Mono<String> async() {
      return Mono.delay(Duration.ofMillis(1)).map(tick -> "async");
    }

    @GetMapping("/filtered/error")
    Mono<String> error() {
      return Mono.error(new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE));
    }

    @GetMapping("/throws")
    @RateLimit(value = "10/m", key = "'all'")
    Mono<String> fail() {
      throw new IllegalStateException("own error " + runs.incrementAndGet());
    }

    @GetMapping("/method/plain")
    @RateLimit(value = "1/m", key = "#user")
    String limited(@RequestParam("user") String user) {
      return user;
    }

    @GetMapping("/method/stage")
    @RateLimit(value = "1/m", key = "#user")
    CompletionStage<String> stage(@RequestParam("user") String user) {
      return CompletableFuture.completedFuture(user);
    }

    @GetMapping("/method/mono")
    @RateLimit(value = "1/m", key = "#user")
    Mono<String> mono(@RequestParam("user") String user) {
      return Mono.just(user);
    }

    @GetMapping("/method/caller")
    @RateLimit("1/m")
    Mono<String> caller() {
      return Mono.just("caller");
    }

    @GetMapping("/denials/blocked")
    @RateLimit(ruleSet = "closed")
    Mono<String> blocked() {
      return Mono.just("open");
    }

    @GetMapping("/denials/fallback")
    @RateLimit(ruleSet = "closed", fallbackMethod = "closed")
    Mono<String> blockedWithFallback() {
      return Mono.just("open");
    }

    Mono<String> closed() {
      return Mono.just("closed");
    }

    @GetMapping("/denials/customized")
    @RateLimit(value = "1/m", key = "#user", id = "customized")
    Mono<String> customized(@RequestParam("user") String user) {
      return Mono.just(user);
    }

    @GetMapping("/tokens/filter")
    Mono<String> ofFilteredUser() {
      return Mono.just("user");
    }

    @GetMapping("/tokens/method")
    @RateLimit("2/m")
    Mono<String> ofUser() {
      return Mono.just("user");
    }

    @GetMapping("/blocks")
    Mono<String> blocks() {
      return Mono.fromCallable(
          () -> {
            Thread.sleep(1);
            return "blocked";
          });
    }
  }

  /** A controller with its own handler of all exceptions. */
  @RestController
  static class LocalHandler {
    @GetMapping("/method/local")
    @RateLimit(value = "1/m", key = "#user")
    Mono<String> limited(@RequestParam("user") String user) {
      return Mono.just(user);
    }

    @ExceptionHandler(Exception.class)
    ResponseEntity<String> handle(Exception e) {
      return ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR).body("local");
    }
  }

  /** A controller that handles denials itself. */
  @RestController
  static class OwnDenials {
    @GetMapping("/method/own")
    @RateLimit(value = "1/m", key = "#user")
    Mono<String> limited(@RequestParam("user") String user) {
      return Mono.just(user);
    }

    @ExceptionHandler(RateLimitExceededException.class)
    ResponseEntity<String> handle(RateLimitExceededException e) {
      return ResponseEntity.status(HttpStatus.I_AM_A_TEAPOT)
          .body("own " + e.result().ruleId().orElse(""));
    }
  }

  /** A controller whose denials an advice handles. */
  @RestController
  static class AdvisedDenials {
    @GetMapping("/method/advised/publisher")
    @RateLimit(value = "1/m", key = "#user")
    Mono<String> publisher(@RequestParam("user") String user) {
      return Mono.just(user);
    }

    @GetMapping("/method/advised/plain")
    @RateLimit(value = "1/m", key = "#user")
    String plain(@RequestParam("user") String user) {
      return user;
    }
  }

  /** Handles denials of one controller. */
  @RestControllerAdvice(assignableTypes = AdvisedDenials.class)
  @Order(Ordered.LOWEST_PRECEDENCE)
  static class LateAdvice {
    @ExceptionHandler
    ResponseEntity<String> handle(RateLimitExceededException e) {
      return ResponseEntity.status(HttpStatus.I_AM_A_TEAPOT)
          .body("advised " + e.result().ruleId().orElse(""));
    }
  }
}
