package dev.redline.spring.webflux;

import dev.redline.core.RateLimitExceededException;
import dev.redline.spring.web.DenialHandlers;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.core.Ordered;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.BindingContext;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.result.method.InvocableHandlerMethod;
import org.springframework.web.reactive.result.method.annotation.CookieValueMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ModelMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PathVariableMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.PrincipalMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestAttributeMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestHeaderMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.reactive.result.method.annotation.RequestParamMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.ServerWebExchangeMethodArgumentResolver;
import org.springframework.web.reactive.result.method.annotation.WebSessionMethodArgumentResolver;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * Runs controllers by Spring's own adapter, and keeps denials from handlers of {@code Exception}:
 * they go to the application's own handler of {@link RateLimitExceededException} in an advice, else
 * to {@link ReactiveDenialHandler}. Controllers that handle denials themselves are left alone.
 */
public final class DenialFirstAdapter implements HandlerAdapter, Ordered {
  private final Supplier<RequestMappingHandlerAdapter> controllers;
  private final DenialHandlers ownHandlers;

  /**
   * Creates the adapter.
   *
   * @param controllers returns Spring's adapter of annotated controllers
   */
  public DenialFirstAdapter(
      Supplier<RequestMappingHandlerAdapter> controllers, DenialHandlers ownHandlers) {
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
        && !ownHandlers.existIn(method.getBeanType())
        && controllers.get().supports(handler);
  }

  @Override
  public Mono<HandlerResult> handle(ServerWebExchange exchange, Object handler) {
    return controllers
        .get()
        .handle(exchange, handler)
        .doOnNext(result -> handleDenials(result, (HandlerMethod) handler));
  }

  private void handleDenials(HandlerResult result, HandlerMethod controller) {
    DispatchExceptionHandler others = result.getExceptionHandler();
    HandlerMethod own = ownHandlers.ofAdvice(controller.getBeanType());
    result.setExceptionHandler(
        (exchange, failure) -> {
          if (failure instanceof RateLimitExceededException denial) {
            return own == null ? Mono.error(denial) : call(own, exchange, denial, controller);
          }
          return others == null ? Mono.error(failure) : others.handleError(exchange, failure);
        });
  }

  private Mono<HandlerResult> call(
      HandlerMethod handler,
      ServerWebExchange exchange,
      RateLimitExceededException denial,
      HandlerMethod controller) {
    RequestMappingHandlerAdapter adapter = controllers.get();
    ReactiveAdapterRegistry types = adapter.getReactiveAdapterRegistry();
    InvocableHandlerMethod method =
        new InvocableHandlerMethod(handler.getBean(), handler.getMethod());
    method.setArgumentResolvers(
        List.of(
            new ServerWebExchangeMethodArgumentResolver(types),
            new PrincipalMethodArgumentResolver(types),
            new RequestHeaderMethodArgumentResolver(null, types),
            new RequestAttributeMethodArgumentResolver(null, types),
            new PathVariableMethodArgumentResolver(null, types),
            new RequestParamMethodArgumentResolver(null, types, false),
            new CookieValueMethodArgumentResolver(null, types),
            new WebSessionMethodArgumentResolver(types),
            new ModelMethodArgumentResolver(types)));
    exchange.getAttributes().remove(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE);
    BindingContext binding = new BindingContext(adapter.getWebBindingInitializer());
    return method.invoke(exchange, binding, denial, controller);
  }
}
