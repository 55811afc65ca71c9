package dev.redline.spring.webflux;

import dev.redline.core.RateLimitExceededException;
import dev.redline.spring.web.DenialHandlers;
import java.util.function.Supplier;
import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Runs controllers by Spring's own adapter, and keeps denials of the publishers they return from
 * handlers of {@code Exception}, so that they reach {@link ReactiveDenialHandler}. Controllers for
 * which the application handles {@link RateLimitExceededException} itself are left alone.
 */
public final class DenialFirstAdapter implements HandlerAdapter, Ordered {
  private final Supplier<? extends HandlerAdapter> controllers;
  private final DenialHandlers ownHandlers;

  /**
   * Creates the adapter.
   *
   * @param controllers returns Spring's adapter of annotated controllers
   */
  public DenialFirstAdapter(
      Supplier<? extends HandlerAdapter> controllers, DenialHandlers ownHandlers) {
    this.controllers = controllers;
    this.ownHandlers = ownHandlers;
  }

  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public boolean supports(Object handler) {
    return handler instanceof HandlerMethod method
        && !ownHandlers.existFor(method.getBeanType())
        && controllers.get().supports(handler);
  }

  @Override
  public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
    return controllers.get().handle(exchange, handler).doOnNext(this::handleDenials);
  }

  private void handleDenials(HandlerResult result) {
    DispatchExceptionHandler others = result.getExceptionHandler();
    result.setExceptionHandler(
        (exchange, failure) -> {
          if (failure instanceof RateLimitExceededException denial) {
            return Mono.error(denial);
          }
          return others == null ? Mono.error(failure) : others.handleError(exchange, failure);
        });
  }
}
