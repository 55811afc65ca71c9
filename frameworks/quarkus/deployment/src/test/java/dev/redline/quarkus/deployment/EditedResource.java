package dev.redline.quarkus.deployment;

import dev.redline.core.RateLimit;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** An endpoint with a rule and a limit. */
@Path("/edited")
public class EditedResource {
  @GET
  @RateLimit("1000/h")
  public String edited() {
    return "edited";
  }
}
