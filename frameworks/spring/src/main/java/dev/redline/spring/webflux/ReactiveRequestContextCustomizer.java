package dev.redline.spring.webflux;

import dev.redline.binding.web.RequestDetails;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;

/**
 * A bean that adds what rules see of a request: attributes such as a tenant, or the client address
 * from a header of a CDN. Called once for each request that a filter or an annotated method limits.
 */
@FunctionalInterface
public interface ReactiveRequestContextCustomizer {
  /** Changes the details of a request, before the returned Mono completes. */
  Mono<Void> customize(RequestDetails details, ServerWebExchange exchange);
}
