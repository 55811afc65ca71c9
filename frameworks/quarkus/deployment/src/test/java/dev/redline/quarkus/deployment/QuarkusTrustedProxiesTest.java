package dev.redline.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient;
import dev.redline.core.RateLimit;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.net.URI;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose address counts, in the filter and for annotated methods. */
class QuarkusTrustedProxiesTest {
  @RegisterExtension
  static final QuarkusUnitTest APPLICATION =
      new QuarkusUnitTest()
          .withApplicationRoot(root -> root.addClass(AddressedResource.class))
          .overrideRuntimeConfigKey("rl.identity.trusted-proxies", "127.250.0.0/16")
          .overrideRuntimeConfigKey("rl.rules[0].id", "filtered")
          .overrideRuntimeConfigKey("rl.rules[0].path", "/filtered")
          .overrideRuntimeConfigKey("rl.rules[0].key", "ip")
          .overrideRuntimeConfigKey("rl.rules[0].limit", "1/h");

  @TestHTTPResource URI base;

  /** Limits by address. */
  @Path("/")
  public static class AddressedResource {
    @GET
    @Path("filtered")
    public String filtered() {
      return "filtered";
    }

    @GET
    @Path("annotated")
    @RateLimit(value = "1/h", key = "ip")
    public String annotated() {
      return "annotated";
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filtered", "/annotated"})
  void untrustedPeerGainsNothingByOtherAddressesInTheHeader(String path) {
    LoopbackClient peer = new LoopbackClient(base);
    assertThat(peer.get(path, "X-Forwarded-For: 192.0.2.1").status()).isEqualTo(200);

    for (int i = 2; i < 6; i++) {
      assertThat(peer.get(path, "X-Forwarded-For: 192.0.2." + i).status()).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/filtered", "/annotated"})
  void trustedProxyTellsTheLastHopThatIsNotTrusted(String path) {
    LoopbackClient proxy = new LoopbackClient(base, "127.250.0.1");
    String client = path.equals("/filtered") ? "198.51.100.7" : "198.51.100.8";
    assertThat(proxy.get(path, "X-Forwarded-For: " + client).status()).isEqualTo(200);

    // What the client wrote itself is left of its address; a trusted hop is right of it.
    assertThat(proxy.get(path, "X-Forwarded-For: 192.0.2.1, " + client).status()).isEqualTo(429);
    assertThat(proxy.get(path, "X-Forwarded-For: 192.0.2.2, " + client + ", 127.250.3.4").status())
        .isEqualTo(429);
    assertThat(proxy.get(path, "X-Forwarded-For: " + client + ", 203.0.113.9").status())
        .isEqualTo(200);
  }
}
