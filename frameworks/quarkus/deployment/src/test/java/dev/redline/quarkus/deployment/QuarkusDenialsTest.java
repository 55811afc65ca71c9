package dev.redline.quarkus.deployment;

import dev.redline.behaviour.DenialBehaviour;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.DenialResponse;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitResult;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusDenialsTest implements DenialBehaviour {
  @RegisterExtension static final QuarkusUnitTest APPLICATION = application();

  @TestHTTPResource URI base;

  private static QuarkusUnitTest application() {
    QuarkusUnitTest application =
        new QuarkusUnitTest().withApplicationRoot(root -> root.addClass(QuarkusDenialsTest.class));
    DenialBehaviour.properties(0, 0).forEach(application::overrideRuntimeConfigKey);
    return application;
  }

  /** The endpoints. */
  @Path("/denials")
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
    @RateLimit(value = "1/m", key = "#user", id = "customized")
    public String customized(@QueryParam("user") String user) {
      return user;
    }
  }

  /** Changes denials by some rules. */
  @Singleton
  public static class SomeDenials implements DenialCustomizer {
    @Override
    public void customize(DenialResponse response, RateLimitResult result) {
      if (result.ruleId().orElse("").startsWith("customized")) {
        response.header("X-RateLimit-Reset", null).header("Retry-After", "7");
      }
    }
  }

  @Override
  public URI baseUri() {
    return base;
  }

  // Quarkus looks for tests in classes alone.

  @Test
  @Override
  public void denialWithoutNumbersHasNoFieldsOfTheFilter() {
    DenialBehaviour.super.denialWithoutNumbersHasNoFieldsOfTheFilter();
  }

  @Test
  @Override
  public void fallbackOfADenialWithoutNumbersHasNoFieldsOfTheFilter() {
    DenialBehaviour.super.fallbackOfADenialWithoutNumbersHasNoFieldsOfTheFilter();
  }

  @Test
  @Override
  public void customizerRemovesAFieldOfAFiltersDenial() {
    DenialBehaviour.super.customizerRemovesAFieldOfAFiltersDenial();
  }

  @Test
  @Override
  public void customizerRemovesAFieldOfAMethodsDenial() {
    DenialBehaviour.super.customizerRemovesAFieldOfAMethodsDenial();
  }

  @Test
  @Override
  public void denialKeepsOtherFields() {
    DenialBehaviour.super.denialKeepsOtherFields();
  }
}
