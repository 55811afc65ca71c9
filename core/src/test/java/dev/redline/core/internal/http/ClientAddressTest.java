package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.key.IpAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of(List.of("10.0.0.0/8", "fd00::/8"));
  private static final IpAddress PROXY = IpAddress.parse("10.0.0.1");

  private static String client(String peer, String... forwardedFor) {
    return ClientAddress.resolve(IpAddress.parse(peer), List.of(forwardedFor), PROXIES)
        .orElseThrow()
        .toString();
  }

  private static String behindProxy(String... forwardedFor) {
    return client("10.0.0.1", forwardedFor);
  }

  @Test
  void untrustedPeerIsTheClientDespiteItsHeaders() {
    assertThat(client("203.0.113.7", "198.51.100.1")).isEqualTo("203.0.113.7");
  }

  @Test
  void withoutTrustedProxiesEvenLoopbackIsTheClient() {
    IpAddress loopback = IpAddress.parse("127.0.0.1");
    assertThat(ClientAddress.resolve(loopback, List.of("198.51.100.1"), TrustedProxies.none()))
        .contains(loopback);
  }

  @Test
  void trustedPeerWithoutHeaderIsTheClient() {
    assertThat(behindProxy()).isEqualTo("10.0.0.1");
    assertThat(behindProxy("")).isEqualTo("10.0.0.1");
    assertThat(behindProxy(" , ,")).isEqualTo("10.0.0.1");
  }

  @Test
  void theFirstUntrustedHopFromTheRightIsTheClient() {
    assertThat(behindProxy("198.51.100.1, 203.0.113.7, 10.9.9.9")).isEqualTo("203.0.113.7");
  }

  @Test
  void ignoresHopsThatTheClientWrote() {
    assertThat(behindProxy("1.1.1.1, 10.0.0.2, 203.0.113.7")).isEqualTo("203.0.113.7");
  }

  @Test
  void severalHeadersAreOneListInOrder() {
    assertThat(behindProxy("198.51.100.1, 203.0.113.7", "10.0.0.3", "10.0.0.2"))
        .isEqualTo("203.0.113.7");
  }

  @Test
  void ifAllHopsAreTrustedTheLeftmostIsTheClient() {
    assertThat(behindProxy("10.1.1.1, 10.2.2.2", "10.3.3.3")).isEqualTo("10.1.1.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unknown",
        "_hidden",
        "example.org",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "1.2.3.4:",
        "1.2.3.4:http",
        "1.2.3.4:123456",
        "[1.2.3.4]",
        "[2001:db8::1",
        "[2001:db8::1]x",
        "[2001:db8::1]:",
        "[]",
        "[]:80",
        "[",
        ":80",
        "::1::",
        "\"203.0.113.7\""
      })
  void aHopThatIsNoAddressEndsTheWalkAtTheHopToItsRight(String garbage) {
    assertThat(behindProxy("203.0.113.7, " + garbage + ", 10.2.2.2")).isEqualTo("10.2.2.2");
    assertThat(behindProxy("203.0.113.7, " + garbage)).isEqualTo("10.0.0.1");
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.7:4711, 203.0.113.7",
    "'  203.0.113.7\t', 203.0.113.7",
    "2001:db8::1, 2001:db8::1",
    "[2001:db8::1], 2001:db8::1",
    "[2001:db8::1]:4711, 2001:db8::1",
    "2001:DB8:0:0::1, 2001:db8::1",
    "fe80::1%eth0, fe80::1",
    "[fe80::1%25eth0]:80, fe80::1",
    "::ffff:203.0.113.7, 203.0.113.7",
    "[::ffff:203.0.113.7]:80, 203.0.113.7"
  })
  void hopsMayCarryPortsBracketsZonesAndSpaces(String hop, String address) {
    assertThat(behindProxy("1.1.1.1, " + hop + " , [fd00::1]:443, 10.0.0.2:80")).isEqualTo(address);
  }

  @Test
  void aMappedPeerIsTrustedAsTheAddressItMaps() {
    assertThat(client("::ffff:10.0.0.1", "203.0.113.7")).isEqualTo("203.0.113.7");
  }

  @Test
  void aForwardedRequestWithoutHopsHasNoClient() {
    assertThat(ClientAddress.resolveForwarded(List.of(), PROXIES)).isEmpty();
    assertThat(ClientAddress.resolveForwarded(List.of("", " ,"), PROXIES)).isEmpty();
    assertThat(ClientAddress.resolveForwarded(List.of("203.0.113.7, unknown"), PROXIES)).isEmpty();
  }

  @Test
  void clientOfAForwardedRequestIsFoundAmongItsHops() {
    assertThat(ClientAddress.resolveForwarded(List.of("1.1.1.1, 203.0.113.7"), PROXIES))
        .contains(IpAddress.parse("203.0.113.7"));
    assertThat(ClientAddress.resolveForwarded(List.of("10.1.1.1, 10.0.0.1"), PROXIES))
        .contains(IpAddress.parse("10.1.1.1"));
    assertThat(ClientAddress.resolveForwarded(List.of("unknown, 10.0.0.1"), PROXIES))
        .contains(PROXY);
  }

  @Test
  @Timeout(5)
  void aHugeHeaderOfTrustedHopsIsWalkedInLinearTime() {
    String hops = "10.0.0.1,".repeat(100_000);
    assertThat(behindProxy("203.0.113.7," + hops)).isEqualTo("203.0.113.7");
  }
}
