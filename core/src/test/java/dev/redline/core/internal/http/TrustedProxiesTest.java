package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.key.IpAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrustedProxiesTest {
  private static boolean trusts(TrustedProxies proxies, String address) {
    return proxies.trusts(IpAddress.parse(address));
  }

  @Test
  void loopbackIsAllOfThisMachineAndNothingElse() {
    assertThat(trusts(TrustedProxies.loopback(), "127.0.0.1")).isTrue();
    assertThat(trusts(TrustedProxies.loopback(), "127.8.9.1")).isTrue();
    assertThat(trusts(TrustedProxies.loopback(), "::1")).isTrue();
    assertThat(trusts(TrustedProxies.loopback(), "::ffff:127.0.0.1")).isTrue();
    assertThat(trusts(TrustedProxies.loopback(), "::2")).isFalse();
    assertThat(trusts(TrustedProxies.loopback(), "10.0.0.1")).isFalse();
  }

  @Test
  void noneTrustsNoAddress() {
    assertThat(trusts(TrustedProxies.none(), "127.0.0.1")).isFalse();
  }

  @Test
  void blocksAndSingleAddressesAreTrusted() {
    TrustedProxies proxies =
        TrustedProxies.of(List.of(" 10.0.0.0/8", "192.0.2.1", "2001:db8::/32"));
    assertThat(trusts(proxies, "10.255.0.1")).isTrue();
    assertThat(trusts(proxies, "192.0.2.1")).isTrue();
    assertThat(trusts(proxies, "192.0.2.2")).isFalse();
    assertThat(trusts(proxies, "2001:db8:ffff::")).isTrue();
    assertThat(trusts(proxies, "127.0.0.1")).isFalse();
  }

  @Test
  void aWrongBlockIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedProxies.of(List.of("10.0.0.0/8", "10.0.0.0/33")))
        .withMessageContaining("10.0.0.0/33");
  }
}
