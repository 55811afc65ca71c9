package dev.redline.samples.quarkus;

import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/**
 * Responds to failures of endpoints. Denials are none: this mapper never sees them. A mapper of
 * {@code Exception} would also make the statuses 404, 405 and 406 of Quarkus a 500.
 */
public class SampleFailures {
  @ServerExceptionMapper
  Response failed(IllegalStateException failure) {
    return Response.serverError().entity(failure.getMessage()).build();
  }
}
