package dev.redline.bench.quarkus.plain;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

/** The endpoints of the sample, without their limits. */
@Path("/")
public class PlainResource {
  @GET
  @Path("hello")
  public String hello() {
    return "hello";
  }

  @GET
  @Path("work")
  public String work(@QueryParam("user") String user) {
    return "work of " + user;
  }

  @GET
  @Path("async")
  public Uni<String> async(@QueryParam("user") String user) {
    return Uni.createFrom().item("work of " + user);
  }

  @GET
  @Path("wait")
  public Uni<String> waitForRefill(@QueryParam("user") String user) {
    return Uni.createFrom().item("work of " + user);
  }

  @GET
  @Path("fallback")
  public String fallback(@QueryParam("user") String user) {
    return "work of " + user;
  }

  @GET
  @Path("boom")
  public String boom() {
    throw new IllegalStateException("boom: this method always fails");
  }

  @GET
  @Path("free")
  public String free() {
    return "free";
  }
}
