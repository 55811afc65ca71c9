package dev.redline.spring.behaviour;

import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitExceededException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.concurrent.Callable;
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
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Mono;

/** A Spring MVC application whose advice handles every exception. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
  ThrowingObservers.class,
  CustomizedDenials.class,
  OpenServletSecurity.class,
  ServletApplication.HeaderAuthentication.class,
  ServletApplication.Service.class,
  ServletApplication.Endpoints.class,
  ServletApplication.LocalHandler.class,
  ServletApplication.OwnDenials.class,
  ServletApplication.AdvisedDenials.class,
  ServletApplication.LateAdvice.class,
  ServletApplication.EveryException.class
})
public class ServletApplication {
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
  static class HeaderAuthentication implements Filter, Ordered {
    @Override
    public int getOrder() {
      return -75;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      String user = ((HttpServletRequest) request).getHeader("X-User");
      chain.doFilter(
          user == null
              ? request
              : new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public Principal getUserPrincipal() {
                  return () -> user;
                }
              },
          response);
    }
  }

  /** The endpoints; those under /filtered have rules. */
  @RestController
  static class Endpoints {
    private final AtomicInteger runs = new AtomicInteger();
    private final Service service;

    Endpoints(Service service) {
      this.service = service;
    }

    @GetMapping({"/filtered", "/filtered/twice", "/waiting", "/slow", "/free", "/denials/filter"})
    String plain() {
      return "plain";
    }

    @GetMapping("/filtered/async")
    Callable<String> async() {
      return () -> "async";
    }

    @GetMapping("/filtered/forward")
    ModelAndView forward() {
      return new ModelAndView("forward:/filtered");
    }

    @GetMapping("/filtered/error")
    void error(HttpServletResponse response) throws IOException {
      response.sendError(503, "own error");
    }

    @GetMapping("/throws")
    @RateLimit(value = "10/m", key = "'all'")
    String fail() {
      throw new IllegalStateException("own error " + runs.incrementAndGet());
    }

    @GetMapping("/method/plain")
    @RateLimit(value = "1/m", key = "#user")
    String limited(@RequestParam("user") String user) {
      return user;
    }

    @GetMapping("/method/writer")
    void limitedWithWriter(@RequestParam("user") String user, HttpServletResponse response)
        throws IOException {
      response.getWriter().write("begun ");
      response.getWriter().write(service.limited(user));
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
    String caller() {
      return "caller";
    }

    @GetMapping("/denials/blocked")
    @RateLimit(ruleSet = "closed")
    String blocked() {
      return "open";
    }

    @GetMapping("/denials/fallback")
    @RateLimit(ruleSet = "closed", fallbackMethod = "closed")
    String blockedWithFallback() {
      return "open";
    }

    String closed() {
      return "closed";
    }

    @GetMapping("/denials/customized")
    @RateLimit(value = "1/m", key = "#user", id = "customized")
    String customized(@RequestParam("user") String user) {
      return user;
    }

    @GetMapping("/tokens/filter")
    String ofFilteredUser() {
      return "user";
    }

    @GetMapping("/tokens/method")
    @RateLimit("2/m")
    String ofUser() {
      return "user";
    }

    @GetMapping("/thread")
    String thread() {
      return Thread.currentThread().toString();
    }
  }

  /** A bean that a controller calls. */
  static class Service {
    @RateLimit(value = "1/m", key = "#user")
    String limited(String user) {
      return user;
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
