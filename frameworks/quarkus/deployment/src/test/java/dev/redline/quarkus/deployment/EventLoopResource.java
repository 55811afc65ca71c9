package dev.redline.quarkus.deployment;

import dev.redline.core.RateLimit;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** Limited endpoints on event loops, one of which cannot wait. */
@Path("/")
@NonBlocking
public class EventLoopResource {
  @GET
  @Path("plain")
  @RateLimit("1/h")
  public String plain() {
    return "plain";
  }

  @GET
  @Path("uni")
  @RateLimit("1/h")
  public Uni<String> uni() {
    return Uni.createFrom().item("uni");
  }
}
