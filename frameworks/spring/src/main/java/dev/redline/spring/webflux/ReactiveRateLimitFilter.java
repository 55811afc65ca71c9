package dev.redline.spring.webflux;

import dev.redline.core.RateLimitResult;
import dev.redline.spring.web.FilterPaths;
import dev.redline.spring.web.RequestLimiter;
import org.springframework.core.Ordered;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Limits the requests of a WebFlux application by rules. Never blocks; a client that disconnects
 * while it waits for a refill frees its place.
 */
public final class ReactiveRateLimitFilter implements WebFilter, Ordered {
  private final RequestLimiter limiter;
  private final FilterPaths paths;
  private final ReactiveRequests requests;
  private final ReactiveResponses responses;
  private final int order;

  /** Creates a filter at a place in the order of filters. */
  public ReactiveRateLimitFilter(
      RequestLimiter limiter,
      FilterPaths paths,
      ReactiveRequests requests,
      ReactiveResponses responses,
      int order) {
    this.limiter = limiter;
    this.paths = paths;
    this.requests = requests;
    this.responses = responses;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    if (CorsUtils.isPreFlightRequest(exchange.getRequest())
        || !paths.cover(ReactiveRequests.path(exchange.getRequest()))) {
      return chain.filter(exchange);
    }
    return requests
        .describe(exchange)
        .flatMap(request -> Mono.fromFuture(() -> limiter.check(request)))
        .flatMap(result -> apply(exchange, chain, result));
  }

  private Mono<Void> apply(
      ServerWebExchange exchange, WebFilterChain chain, RateLimitResult result) {
    if (!result.allowed()) {
      return responses.deny(exchange, result);
    }
    responses.addHeaders(exchange, result);
    return chain.filter(exchange);
  }
}
