package dev.redline.samples.jakarta;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.OnLimitExceed;
import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** One endpoint for each way to limit. */
@Path("/")
@RequestScoped
@Produces(MediaType.TEXT_PLAIN)
public class JakartaSampleResource {
  /** Limited by the rule "hello" of microprofile-config.properties. */
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
  public CompletionStage<String> async(@QueryParam("user") String user) {
    return CompletableFuture.completedFuture("work of " + user);
  }

  @GET
  @Path("wait")
  @RateLimit(value = "1/s", key = "#user", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
  public String waitForRefill(@QueryParam("user") String user) {
    return "work of " + user;
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
