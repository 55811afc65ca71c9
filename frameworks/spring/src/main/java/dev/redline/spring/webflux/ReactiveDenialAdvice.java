package dev.redline.spring.webflux;

import dev.redline.core.RateLimitExceededException;
import dev.redline.spring.web.DenialHandlers;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Responds to a {@link RateLimitExceededException} that a controller throws instead of returning it
 * in a publisher. Only Spring's exception handlers see it then, so this is one of them: before all
 * others, unless one of the application handles denials.
 */
@ControllerAdvice
public class ReactiveDenialAdvice implements Ordered {
  private final ReactiveResponses responses;
  private final DenialHandlers ownHandlers;

  /** Creates the advice. */
  public ReactiveDenialAdvice(ReactiveResponses responses, DenialHandlers ownHandlers) {
    this.responses = responses;
    this.ownHandlers = ownHandlers;
  }

  @Override
  public int getOrder() {
    return ownHandlers.existInAdvices() ? LOWEST_PRECEDENCE : HIGHEST_PRECEDENCE;
  }

  /** Sends the response. */
  @ExceptionHandler(RateLimitExceededException.class)
  public Mono<Void> deny(RateLimitExceededException denial, ServerWebExchange exchange) {
    return responses.deny(exchange, denial.result());
  }
}
