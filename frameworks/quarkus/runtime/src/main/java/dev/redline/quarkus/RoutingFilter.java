package dev.redline.quarkus;

import dev.redline.binding.web.FilterPaths;
import dev.redline.binding.web.RequestLimiter;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Limits HTTP requests by the rules of one set. Runs on event loops and never blocks: while a
 * decision is under way the request is paused, and a client that disconnects ends its wait.
 *
 * @param id the name under which a request knows that this filter has decided it
 * @param limiter decides by its rule set
 * @param paths the requests that it limits
 */
record RoutingFilter(
    String id,
    RequestLimiter limiter,
    FilterPaths paths,
    RoutingRequests requests,
    RoutingResponses responses)
    implements Handler<RoutingContext> {
  @Override
  public void handle(RoutingContext routing) {
    if (!paths.cover(requests.path(routing)) || isPreflight(routing.request())) {
      routing.next();
      return;
    }
    if (routing.get(id) != null) {
      // The application rerouted a request that was counted; that has removed the headers.
      responses.repeatHeaders(routing);
      routing.next();
      return;
    }
    routing.put(id, true);
    CompletableFuture<RateLimitResult> decision = limiter.check(requests.describe(routing));
    if (decision.isDone()) {
      apply(routing, decision);
      return;
    }
    CallerContext caller = CallerContext.current();
    // What arrives of the body before a later handler reads it would be lost.
    routing.request().pause();
    routing.addEndHandler(ended -> decision.cancel(true));
    CompletableFuture<RateLimitResult> unused =
        decision.whenComplete((result, failure) -> caller.execute(() -> resume(routing, decision)));
  }

  private void resume(RoutingContext routing, CompletableFuture<RateLimitResult> decision) {
    if (!routing.response().closed() && !routing.response().ended()) {
      routing.request().resume();
      apply(routing, decision);
    }
  }

  private void apply(RoutingContext routing, CompletableFuture<RateLimitResult> decision) {
    RateLimitResult result;
    try {
      result = decision.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof OversizedRequestException problem) {
        responses.reject(routing, problem);
      } else {
        routing.fail(e.getCause());
      }
      return;
    }
    if (result.allowed()) {
      responses.addHeaders(routing, result, true);
      routing.next();
    } else {
      responses.deny(routing, result);
    }
  }

  private static boolean isPreflight(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS)
        && isPresent(request.getHeader(HttpHeaders.ORIGIN))
        && isPresent(request.getHeader(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD));
  }

  private static boolean isPresent(@Nullable String header) {
    return header != null;
  }
}
