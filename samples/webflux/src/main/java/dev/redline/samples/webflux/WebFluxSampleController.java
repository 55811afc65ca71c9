package dev.redline.samples.webflux;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.OnLimitExceed;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** One endpoint for each way to limit. */
@RestController
public class WebFluxSampleController {
  /** Limited by the rule "hello" of application.yaml. */
  @GetMapping("/hello")
  Mono<String> hello() {
    return Mono.just("hello");
  }

  @GetMapping("/work")
  @RateLimit(value = "5/m", key = "#user")
  Mono<String> work(@RequestParam(required = false) @Nullable String user) {
    return Mono.just("work of " + user);
  }

  @GetMapping("/async")
  @RateLimit(value = "5/m", key = "#user")
  Mono<String> async(@RequestParam(required = false) @Nullable String user) {
    return Mono.just("work of " + user);
  }

  @GetMapping("/wait")
  @RateLimit(value = "1/s", key = "#user", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
  Mono<String> waitForRefill(@RequestParam(required = false) @Nullable String user) {
    return Mono.just("work of " + user);
  }

  @GetMapping("/fallback")
  @RateLimit(value = "2/m", key = "#user", fallbackMethod = "tryLater")
  Mono<String> fallback(@RequestParam(required = false) @Nullable String user) {
    return Mono.just("work of " + user);
  }

  Mono<String> tryLater(@Nullable String user) {
    return Mono.just("try later");
  }

  @GetMapping("/boom")
  @RateLimit("10/m")
  Mono<String> boom() {
    return Mono.error(new IllegalStateException("boom: this method always fails"));
  }

  @GetMapping("/free")
  Mono<String> free() {
    return Mono.just("free");
  }

  /** Denials are no failures of the application: this handler never sees them. */
  @ExceptionHandler(Exception.class)
  ResponseEntity<String> failed(Exception failure) {
    return ResponseEntity.internalServerError().body(failure.getMessage());
  }
}
