package dev.redline.quarkus;

import dev.redline.binding.web.RequestDetails;
import io.vertx.ext.web.RoutingContext;

/**
 * A bean that adds what rules see of a request: attributes such as a tenant, or the client address
 * from a header of a CDN. Called for each request that a filter or an annotated method limits,
 * perhaps on an event loop: it must not block.
 */
@FunctionalInterface
public interface RoutingRequestCustomizer {
  /** Changes the details of a request. */
  void customize(RequestDetails details, RoutingContext routing);
}
