package dev.redline.spring.webflux;

import dev.redline.binding.web.FilterPaths;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/** Limits the requests of a WebFlux application by rules. */
public final class ReactiveRateLimitFilter implements WebFilter, Ordered {
  private final ExchangeLimiter limiter;
  private final FilterPaths paths;
  private final int order;

  /** Creates a filter at a place in the order of filters. */
  public ReactiveRateLimitFilter(ExchangeLimiter limiter, FilterPaths paths, int order) {
    this.limiter = limiter;
    this.paths = paths;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return paths.cover(ReactiveRequests.path(exchange.getRequest()))
        ? limiter.limit(exchange, () -> chain.filter(exchange))
        : chain.filter(exchange);
  }
}
