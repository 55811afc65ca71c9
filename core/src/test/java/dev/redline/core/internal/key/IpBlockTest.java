package dev.redline.core.internal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.key.IpAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpBlockTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.1.2.3/8, 10.9.9.9, true",
    "192.0.2.1, 192.0.2.1, true",
    "192.0.2.1, 192.0.2.2, false",
    "192.0.2.0/31, 192.0.2.1, true",
    "192.0.2.0/31, 192.0.2.2, false",
    "0.0.0.0/0, 203.0.113.7, true",
    "0.0.0.0/0, 2001:db8::1, false",
    "::/0, 2001:db8::1, true",
    "::/0, 203.0.113.7, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::, false",
    "2001:db8::/65, 2001:db8:0:0:7fff::, true",
    "2001:db8::/65, 2001:db8:0:0:8000::, false",
    "2001:db8::1, 2001:db8::1, true",
    "10.0.0.0/8, ::ffff:10.1.1.1, true",
    "::ffff:10.0.0.0/104, 10.1.1.1, true",
    "::ffff:10.0.0.0/104, 11.1.1.1, false"
  })
  void containsTheAddressesOfItsPrefix(String block, String address, boolean contained) {
    assertThat(IpBlock.parse(block).contains(IpAddress.parse(address))).isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "10.0.0.0/ 8",
        "10.0.0.0/1234",
        "10.0.0/8",
        "10.0.0.0/255.0.0.0",
        "2001:db8::/129",
        "::ffff:10.0.0.0/64",
        "office"
      })
  void rejectsWhatIsNoBlockWithItsText(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IpBlock.parse(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining("CIDR");
  }
}
