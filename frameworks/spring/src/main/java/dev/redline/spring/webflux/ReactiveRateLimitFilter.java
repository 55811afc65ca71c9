package dev.redline.spring.webflux;

import dev.redline.binding.web.FilterPaths;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Limits the requests of a WebFlux application by rules. A server of a child context, such as that
 * of a management port, has the filter too and is not limited by it: neither is it on servlets, and
 * probes of health must not be denied because of an application's clients.
 */
public final class ReactiveRateLimitFilter implements WebFilter, Ordered, ApplicationContextAware {
  private final ExchangeLimiter limiter;
  private final FilterPaths paths;
  private final int order;
  private @Nullable ApplicationContext application;

  /** Creates a filter at a place in the order of filters. */
  public ReactiveRateLimitFilter(ExchangeLimiter limiter, FilterPaths paths, int order) {
    this.limiter = limiter;
    this.paths = paths;
    this.order = order;
  }

  @Override
  public void setApplicationContext(ApplicationContext context) {
    application = context;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return !isOfChild(exchange) && paths.cover(ReactiveRequests.path(exchange.getRequest()))
        ? limiter.limit(exchange, () -> chain.filter(exchange))
        : chain.filter(exchange);
  }

  private boolean isOfChild(ServerWebExchange exchange) {
    ApplicationContext server = exchange.getApplicationContext();
    return application != null && server != null && server.getParent() == application;
  }
}
