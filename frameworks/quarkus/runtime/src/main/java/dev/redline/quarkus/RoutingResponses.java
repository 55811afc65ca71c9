package dev.redline.quarkus;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/**
 * Writes decisions to HTTP responses. Thread-safe.
 *
 * @param http how decisions look in HTTP
 */
record RoutingResponses(RateLimitHttp http) {

  /**
   * Sets the headers of a result, unless the response has those of a more important one.
   *
   * @param retry whether those are included that say when to retry
   */
  void addHeaders(RoutingContext routing, RateLimitResult result, boolean retry) {
    HttpServerResponse response = routing.response();
    if (response.headWritten()
        || !RateLimitHttp.replaces(result, routing.<Object>get(RateLimitHttp.RESULT))) {
      return;
    }
    routing.put(RateLimitHttp.RESULT, result);
    http.forEachHeader(result, retry, response::putHeader);
    expose(routing);
  }

  /** Sets the headers of the decided result again, after something has removed them. */
  void repeatHeaders(RoutingContext routing) {
    if (routing.<Object>get(RateLimitHttp.RESULT) instanceof RateLimitResult decided) {
      http.forEachHeader(decided, true, routing.response()::putHeader);
      expose(routing);
    }
  }

  /**
   * Sets the headers of the response to a denied request, unless a response is under way already,
   * and returns the rest of it.
   */
  DenialResponse prepareDenial(RoutingContext routing, RateLimitResult result) {
    DenialResponse denial = http.denial(result);
    HttpServerResponse response = routing.response();
    if (!response.headWritten()) {
      routing.put(RateLimitHttp.RESULT, result);
      denial.headers().forEach(response::putHeader);
      expose(routing);
    }
    return denial;
  }

  /** Sends the response to a denied request; does nothing if a response is under way already. */
  void deny(RoutingContext routing, RateLimitResult result) {
    HttpServerResponse response = routing.response();
    if (response.headWritten() || response.closed()) {
      return;
    }
    DenialResponse denial = prepareDenial(routing, result);
    response.setStatusCode(denial.status());
    if (!denial.body().isEmpty()) {
      response.putHeader(HttpHeaders.CONTENT_TYPE, denial.contentType());
    }
    response.end(Buffer.buffer(denial.body()));
  }

  /** Lets scripts of other origins read the fields; the application decides which origins. */
  private void expose(RoutingContext routing) {
    MultiMap headers = routing.response().headers();
    String exposed = http.exposedHeaders();
    if (routing.request().getHeader(HttpHeaders.ORIGIN) != null
        && !headers.getAll(RateLimitHttp.EXPOSE).contains(exposed)) {
      headers.add(RateLimitHttp.EXPOSE, exposed);
    }
  }
}
