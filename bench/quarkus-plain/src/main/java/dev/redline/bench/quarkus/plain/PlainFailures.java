package dev.redline.bench.quarkus.plain;

import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Responds to failures of endpoints, as in the sample. */
public class PlainFailures {
  @ServerExceptionMapper
  Response failed(Exception failure) {
    return Response.serverError().entity(failure.getMessage()).build();
  }
}
