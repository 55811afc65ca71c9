package dev.redline.samples.quarkus;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.OnLimitExceed;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

/** One endpoint for each way to limit. */
@Path("/")
public class QuarkusSampleResource {
  /** Limited by the rule "hello" of application.properties. */
  @GET
  @Path("hello")
  public String hello() {
    return "hello";
  }

  @GET
  @Path("work")
  @RateLimit(value = "5/m", key = "#user")
  public String work(@QueryParam("user") String user) {
    return "work of " + user;
  }

  @GET
  @Path("async")
  @RateLimit(value = "5/m", key = "#user")
  public Uni<String> async(@QueryParam("user") String user) {
    return Uni.createFrom().item("work of " + user);
  }

  @GET
  @Path("wait")
  @RateLimit(value = "1/s", key = "#user", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
  public Uni<String> waitForRefill(@QueryParam("user") String user) {
    return Uni.createFrom().item("work of " + user);
  }

  @GET
  @Path("fallback")
  @RateLimit(value = "2/m", key = "#user", fallbackMethod = "tryLater")
  public String fallback(@QueryParam("user") String user) {
    return "work of " + user;
  }

  String tryLater(String user) {
    return "try later";
  }

  @GET
  @Path("boom")
  @RateLimit("10/m")
  public String boom() {
    throw new IllegalStateException("boom: this method always fails");
  }

  @GET
  @Path("free")
  public String free() {
    return "free";
  }
}
