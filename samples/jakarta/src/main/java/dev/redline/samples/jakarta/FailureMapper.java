package dev.redline.samples.jakarta;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Denials are no failures of the application: this mapper never sees them. */
@Provider
public class FailureMapper implements ExceptionMapper<IllegalStateException> {
  @Override
  public Response toResponse(IllegalStateException failure) {
    return Response.serverError()
        .type(MediaType.TEXT_PLAIN_TYPE)
        .entity(failure.getMessage())
        .build();
  }
}
