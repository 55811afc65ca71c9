package dev.redline.samples.redis;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.OnLimitExceed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint for each way to limit. */
@RestController
public class RedisSampleController {
  /** Limited by the rule "hello" of application.yaml. */
  @GetMapping("/hello")
  String hello() {
    return "hello";
  }

  @GetMapping("/work")
  @RateLimit(value = "5/m", key = "#user")
  String work(String user) {
    return "work of " + user;
  }

  @GetMapping("/async")
  @RateLimit(value = "5/m", key = "#user")
  CompletionStage<String> async(String user) {
    return CompletableFuture.completedFuture("work of " + user);
  }

  @GetMapping("/wait")
  @RateLimit(value = "1/s", key = "#user", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
  String waitForRefill(String user) {
    return "work of " + user;
  }

  @GetMapping("/fallback")
  @RateLimit(value = "2/m", key = "#user", fallbackMethod = "tryLater")
  String fallback(String user) {
    return "work of " + user;
  }

  String tryLater(String user) {
    return "try later";
  }

  @GetMapping("/boom")
  @RateLimit("10/m")
  String boom() {
    throw new IllegalStateException("boom: this method always fails");
  }

  @GetMapping("/free")
  String free() {
    return "free";
  }

  /** Denials are no failures of the application: this handler never sees them. */
  @ExceptionHandler(Exception.class)
  ResponseEntity<String> failed(Exception failure) {
    return ResponseEntity.internalServerError().body(failure.getMessage());
  }
}
