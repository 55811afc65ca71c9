package dev.redline.samples.quarkus;

import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Responds to failures of endpoints. Denials are none: this mapper never sees them. */
public class SampleFailures {
  @ServerExceptionMapper
  Response failed(Exception failure) {
    return Response.serverError().entity(failure.getMessage()).build();
  }
}
