package dev.redline.quarkus;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.LimitedResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.ProblemDetails;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    http.write(result, retry, new LimitedRouting(routing));
  }

  /** Sets the headers of the decided result again, after something has removed them. */
  void repeatHeaders(RoutingContext routing) {
    if (routing.<Object>remove(RateLimitHttp.RESULT) instanceof RateLimitResult decided) {
      addHeaders(routing, decided, true);
    }
  }

  /**
   * Sets the headers of the response to a denied request, unless a response is under way already,
   * and returns the rest of it.
   */
  DenialResponse prepareDenial(RoutingContext routing, RateLimitResult result) {
    DenialResponse denial = http.denial(result);
    http.write(denial, new LimitedRouting(routing));
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

  /** Sends the response to a request that cannot be decided, unless one is under way already. */
  void reject(RoutingContext routing, OversizedRequestException problem) {
    HttpServerResponse response = routing.response();
    if (!response.headWritten() && !response.closed()) {
      response
          .setStatusCode(OversizedRequestException.STATUS)
          .putHeader(HttpHeaders.CONTENT_TYPE, ProblemDetails.MEDIA_TYPE)
          .end(
              ProblemDetails.of(
                      OversizedRequestException.STATUS, String.valueOf(problem.getMessage()))
                  .toJson());
    }
  }

  /** The header fields of a response. */
  private record LimitedRouting(RoutingContext routing) implements LimitedResponse {
    @Override
    public boolean isCommitted() {
      return routing.response().headWritten();
    }

    @Override
    public @Nullable Object result() {
      return routing.<Object>get(RateLimitHttp.RESULT);
    }

    @Override
    public void result(RateLimitResult result) {
      routing.put(RateLimitHttp.RESULT, result);
    }

    @Override
    public void set(String name, String value) {
      routing.response().putHeader(name, value);
    }

    @Override
    public void remove(Set<String> names) {
      MultiMap headers = routing.response().headers();
      names.forEach(name -> headers.remove(name));
    }

    @Override
    public void expose(String names) {
      MultiMap headers = routing.response().headers();
      if (routing.request().getHeader(HttpHeaders.ORIGIN) != null
          && !headers.getAll(RateLimitHttp.EXPOSE).contains(names)) {
        headers.add(RateLimitHttp.EXPOSE, names);
      }
    }
  }
}
