package dev.redline.quarkus;

import dev.redline.binding.web.CurrentRequest;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import io.vertx.ext.web.RoutingContext;

/**
 * An HTTP request, for annotated methods that are called within it.
 *
 * @param routing the request and its response
 * @param requests describes the request
 * @param responses writes decisions to the response
 */
record RoutedRequest(RoutingContext routing, RoutingRequests requests, RoutingResponses responses)
    implements CurrentRequest {
  @Override
  public RequestContext describe() {
    return requests.describe(routing);
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    responses.addHeaders(routing, result, !fallback);
  }
}
