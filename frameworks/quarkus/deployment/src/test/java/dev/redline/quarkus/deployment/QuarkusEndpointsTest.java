package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.behaviour.LoopbackClient.Response;
import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QuarkusEndpointsTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(Orders.class))
          .overrideConfigKey("orders.limit", "2/m")
          .overrideConfigKey("rl.rules[0].id", "all")
          .overrideConfigKey("rl.rules[0].path", "/limited/**")
          .overrideConfigKey("rl.rules[0].key", "ip")
          .overrideConfigKey("rl.rules[0].limit", "1/m");

  @TestHTTPResource URI base;

  /** An endpoint for each case. */
  @Path("/")
  public static class Orders {
    @GET
    @Path("work")
    @RateLimit(value = "${orders.limit}", key = "#user")
    public String work(@QueryParam("user") String user) {
      return "work of " + user;
    }
  }

  @Test
  void deniesWithHeadersAndProblemDetails() {
    LoopbackClient client = new LoopbackClient(base);
    assertThat(client.get("/work?user=a").header("X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(client.get("/work?user=a").status()).isEqualTo(200);

    Response denied = client.get("/work?user=a");

    assertThat(denied.status()).as(denied.toString()).isEqualTo(429);
    assertThat(denied.header("Retry-After")).isEqualTo("30");
    assertThat(denied.header("Content-Type")).startsWith("application/problem+json");
    assertThat(denied.body()).contains("\"ruleId\":\"Orders.work\"");
    assertThat(client.get("/work?user=b").status()).isEqualTo(200);
  }

  @Test
  void filterDeniesByRulesOfTheConfiguration() {
    LoopbackClient client = new LoopbackClient(base);
    assertThat(client.get("/limited/x").status()).isEqualTo(404);
    assertThat(client.get("/limited/x").status()).isEqualTo(429);
    assertThat(new LoopbackClient(base).get("/limited/x").status()).isEqualTo(404);
  }
}
