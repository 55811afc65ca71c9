package dev.redline.spring.webflux;

import dev.redline.core.RateLimitExceededException;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** Responds to a {@link RateLimitExceededException} that no handler of the application handled. */
public final class ReactiveDenialHandler implements WebExceptionHandler, Ordered {
  /** Before the handler of Spring Boot that makes error pages, which has -1. */
  private static final int BEFORE_ERROR_PAGES = -2;

  private final ReactiveResponses responses;

  /** Creates the handler. */
  public ReactiveDenialHandler(ReactiveResponses responses) {
    this.responses = responses;
  }

  @Override
  public int getOrder() {
    return BEFORE_ERROR_PAGES;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    return failure instanceof RateLimitExceededException denial
            && !exchange.getResponse().isCommitted()
        ? responses.deny(exchange, denial.result())
        : Mono.error(failure);
  }
}
