package dev.redline.spring.webflux;

import dev.redline.core.RateLimitExceededException;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Takes a {@link RateLimitExceededException} that a controller throws instead of returning it in a
 * publisher. Only Spring's exception handlers see it then, so this is one of them, before all
 * others: it turns it into an error of a publisher, for {@link DenialFirstAdapter}.
 */
@ControllerAdvice
public class ReactiveDenialAdvice implements Ordered {
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  /** Returns the denial as an error. */
  @ExceptionHandler(RateLimitExceededException.class)
  public Mono<Void> rethrow(RateLimitExceededException denial) {
    return Mono.error(denial);
  }
}
