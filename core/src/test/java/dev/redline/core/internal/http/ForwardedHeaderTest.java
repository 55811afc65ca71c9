package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.IpAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardedHeaderTest {
  private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8"));

  private static String client(String... forwarded) {
    List<String> hops = ClientAddress.forwardedFor(List.of(forwarded));
    return ClientAddress.resolve(IpAddress.parse("10.0.0.1"), hops, PROXIES)
        .orElseThrow()
        .toString();
  }

  @Test
  void namesItsHopsInOrder() {
    assertThat(
            ClientAddress.forwardedFor(
                List.of(
                    "for=192.0.2.43, For=\"[2001:db8:cafe::17]:4711\";proto=https",
                    "proto=http; FOR=198.51.100.17 ;by=203.0.113.43")))
        .containsExactly("192.0.2.43", "[2001:db8:cafe::17]:4711", "198.51.100.17");
  }

  @Test
  void findsTheClientAsWithXForwardedFor() {
    assertThat(client("for=1.1.1.1, for=\"[2001:db8::1]:80\", for=10.0.0.2"))
        .isEqualTo("2001:db8::1");
  }

  @Test
  void stopsAtAnElementWithoutExactlyOneFor() {
    assertThat(client("for=203.0.113.7, proto=https")).isEqualTo("10.0.0.1");
    assertThat(client("for=203.0.113.7, for=, for=10.0.0.2")).isEqualTo("10.0.0.2");
    assertThat(client("for=203.0.113.7;for=203.0.113.8")).isEqualTo("10.0.0.1");
    assertThat(client("for=203.0.113.7, for=unknown, for=10.0.0.2")).isEqualTo("10.0.0.2");
  }

  @Test
  void openQuoteOfTheClientHidesNoHop() {
    assertThat(client("for=\"1.1.1.1, for=203.0.113.7")).isEqualTo("203.0.113.7");
    assertThat(client("for=\"", "for=203.0.113.7")).isEqualTo("203.0.113.7");
  }
}
