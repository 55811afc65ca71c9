package dev.redline.jakarta;

import dev.redline.behaviour.TokenBehaviour;
import dev.redline.core.RateLimit;
import jakarta.enterprise.context.RequestScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.net.URI;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ResourceTokensTest implements TokenBehaviour {
  private static Deployment deployment;
  private static HttpServer server;

  /** The endpoints. */
  @Path("/tokens")
  @RequestScoped
  public static class Tokens {
    @GET
    @Path("filter")
    public String filter() {
      return "user";
    }

    @GET
    @Path("method")
    @RateLimit("2/m")
    public String method() {
      return "user";
    }
  }

  @BeforeAll
  static void start() throws IOException {
    deployment = Deployment.start(TokenBehaviour.properties(0), Tokens.class);
    server =
        GrizzlyServlets.start(
            new ResourceConfig(Tokens.class, LimitedResourcesTest.Authentication.class), "", "/*");
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
