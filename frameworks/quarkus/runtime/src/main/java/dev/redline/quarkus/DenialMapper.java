package dev.redline.quarkus;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitExceededException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

/**
 * Responds to denied calls of endpoints, in the same way as the filters. A mapper of the
 * application for this exception wins.
 */
public class DenialMapper implements ExceptionMapper<RateLimitExceededException> {
  private final RateLimitHttp http;
  private final CurrentVertxRequest request;

  @Inject
  DenialMapper(RateLimitHttp http, CurrentVertxRequest request) {
    this.http = http;
    this.request = request;
  }

  @Override
  public Response toResponse(RateLimitExceededException denied) {
    RoutingContext routing = request.getCurrent();
    DenialResponse denial = new RoutingResponses(http).prepareDenial(routing, denied.result());
    Response.ResponseBuilder response = Response.status(denial.status());
    return denial.body().isEmpty()
        ? response.build()
        : response.type(denial.contentType()).entity(denial.body()).build();
  }
}
