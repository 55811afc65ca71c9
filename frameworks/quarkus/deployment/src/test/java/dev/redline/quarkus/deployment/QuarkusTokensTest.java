package dev.redline.quarkus.deployment;

import dev.redline.behaviour.TokenBehaviour;
import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusTokensTest implements TokenBehaviour {
  @RegisterExtension static final QuarkusUnitTest APPLICATION = application();

  @TestHTTPResource URI base;

  private static QuarkusUnitTest application() {
    QuarkusUnitTest application =
        new QuarkusUnitTest()
            .withApplicationRoot(
                root ->
                    root.addClasses(
                        QuarkusTokensTest.class, QuarkusSecurityTest.HeaderMechanism.class));
    TokenBehaviour.properties(0).forEach(application::overrideRuntimeConfigKey);
    return application;
  }

  /** The endpoints. */
  @Path("/tokens")
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

  @Override
  public URI baseUri() {
    return base;
  }

  // Quarkus looks for tests in classes alone.

  @Test
  @Override
  public void filterCountsTheUserOfAToken() {
    TokenBehaviour.super.filterCountsTheUserOfAToken();
  }

  @Test
  @Override
  public void methodCountsTheUserOfAToken() {
    TokenBehaviour.super.methodCountsTheUserOfAToken();
  }

  @Test
  @Override
  public void requestWithoutATokenHasNoUser() {
    TokenBehaviour.super.requestWithoutATokenHasNoUser();
  }

  @Test
  @Override
  public void requestWithAnInvalidTokenIsDenied() {
    TokenBehaviour.super.requestWithAnInvalidTokenIsDenied();
  }

  @Test
  @Override
  public void authenticatedUserWinsOverTheToken() {
    TokenBehaviour.super.authenticatedUserWinsOverTheToken();
  }

  @Test
  @Override
  public void severalApiKeysOfARequestEvadeNothing() {
    TokenBehaviour.super.severalApiKeysOfARequestEvadeNothing();
  }
}
