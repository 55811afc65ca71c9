package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.binding.web.DenialCustomizer;
import dev.redline.binding.web.DenialResponse;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitResult;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.URI;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuarkusDenialCustomizerTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(
              root -> root.addClasses(CustomizedResource.class, PlainTextDenials.class))
          .overrideRuntimeConfigKey("rl.rules[0].id", "filtered")
          .overrideRuntimeConfigKey("rl.rules[0].path", "/filtered")
          .overrideRuntimeConfigKey("rl.rules[0].limit", "1/h");

  @TestHTTPResource URI base;

  /** Limited by a rule and by an annotation. */
  @Path("/")
  public static class CustomizedResource {
    @GET
    @Path("filtered")
    public String filtered() {
      return "filtered";
    }

    @GET
    @Path("annotated")
    @RateLimit(value = "1/h", key = "'all'")
    public String annotated() {
      return "annotated";
    }
  }

  /** Changes every part of a response. */
  @Singleton
  public static class PlainTextDenials implements DenialCustomizer {
    @Override
    public void customize(DenialResponse response, RateLimitResult result) {
      response
          .status(503)
          .header("X-Denied-By", result.ruleId().orElse("unknown"))
          .header("X-RateLimit-Reset", null)
          .body("text/plain", "too many");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filtered", "/annotated"})
  void customizerChangesDenialsOfFiltersAndOfMethods(String path) {
    LoopbackClient client = new LoopbackClient(base);
    assertThat(client.get(path).status()).isEqualTo(200);

    Response denied = client.get(path);

    assertThat(denied.status()).as(denied.toString()).isEqualTo(503);
    assertThat(denied.body()).isEqualTo("too many");
    assertThat(denied.header("Content-Type")).startsWith("text/plain");
    assertThat(denied.header("X-Denied-By"))
        .isEqualTo(path.equals("/filtered") ? "filtered" : "CustomizedResource.annotated");
    assertThat(denied.header("Retry-After")).isNotEmpty();
    assertThat(denied.header("X-RateLimit-Limit")).isEqualTo("1");
    assertThat(denied.header("X-RateLimit-Reset")).as(denied.toString()).isEmpty();
  }
}
