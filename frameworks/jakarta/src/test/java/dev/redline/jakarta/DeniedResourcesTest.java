package dev.redline.jakarta;

import dev.redline.behaviour.DenialBehaviour;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.DenialResponse;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitResult;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.io.IOException;
import java.net.URI;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class DeniedResourcesTest implements DenialBehaviour {
  private static Deployment deployment;
  private static HttpServer server;

  /** The endpoints. */
  @Path("/denials")
  @RequestScoped
  public static class Denials {
    @GET
    @Path("filter")
    public String filter() {
      return "open";
    }

    @GET
    @Path("blocked")
    @RateLimit(ruleSet = "closed")
    public String blocked() {
      return "open";
    }

    @GET
    @Path("fallback")
    @RateLimit(ruleSet = "closed", fallbackMethod = "closed")
    public String blockedWithFallback() {
      return "open";
    }

    String closed() {
      return "closed";
    }

    @GET
    @Path("customized")
    @RateLimit(value = "1/m", key = "#p0", id = "customized")
    public String customized(@QueryParam("user") String user) {
      return user;
    }
  }

  /** Changes denials by some rules. */
  @ApplicationScoped
  public static class SomeDenials implements DenialCustomizer {
    @Override
    public void customize(DenialResponse response, RateLimitResult result) {
      if (result.ruleId().orElse("").startsWith("customized")) {
        response.header("X-RateLimit-Reset", null).header("Retry-After", "7");
      }
    }
  }

  @BeforeAll
  static void start() throws IOException {
    deployment =
        Deployment.start(DenialBehaviour.properties(0, 0), Denials.class, SomeDenials.class);
    server = GrizzlyServlets.start(new ResourceConfig(Denials.class), "", "/*");
  }

  @AfterAll
  static void stop() {
    server.shutdownNow();
    deployment.close();
  }

  @Override
  public URI baseUri() {
    return URI.create("http://127.0.0.1:" + server.getListeners().iterator().next().getPort());
  }
}
