package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.key.IpBlock;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

@Tag("properties")
class IpAddressPropertiesTest {
  private static byte[] bytes(IpAddress address) {
    byte[] bytes = new byte[address.bits() / 8];
    for (int i = 0; i < bytes.length; i++) {
      int fromEnd = bytes.length - 1 - i;
      long word = fromEnd < 8 ? address.low() : address.high();
      bytes[i] = (byte) (word >>> (8 * (fromEnd % 8)));
    }
    return bytes;
  }

  @Provide
  Arbitrary<List<Integer>> groups() {
    return Arbitraries.frequencyOf(
            Tuple.of(2, Arbitraries.just(0)),
            Tuple.of(1, Arbitraries.just(0xFFFF)),
            Tuple.of(3, Arbitraries.integers().between(0, 0xFFFF)))
        .list()
        .ofSize(8);
  }

  private static String spelled(List<Integer> groups) {
    return String.join(":", groups.stream().map(Integer::toHexString).toList());
  }

  @Property(tries = 5000)
  void readsIpv6LikeTheJdk(@ForAll("groups") List<Integer> groups) throws UnknownHostException {
    IpAddress address = IpAddress.parse(spelled(groups));
    assertThat(bytes(address)).isEqualTo(InetAddress.getByName(spelled(groups)).getAddress());
  }

  @Property(tries = 5000)
  void canonicalTextIsReadBackAlsoByTheJdk(@ForAll("groups") List<Integer> groups)
      throws UnknownHostException {
    IpAddress address = IpAddress.parse(spelled(groups));
    assertThat(IpAddress.parse(address.toString())).isEqualTo(address);
    assertThat(InetAddress.getByName(address.toString()).getAddress()).isEqualTo(bytes(address));
  }

  @Property
  void readsIpv4LikeTheJdk(@ForAll @Size(4) List<@IntRange(max = 255) Integer> octets)
      throws UnknownHostException {
    String text = String.join(".", octets.stream().map(String::valueOf).toList());
    IpAddress address = IpAddress.parse(text);
    assertThat(address).hasToString(text);
    assertThat(bytes(address)).isEqualTo(InetAddress.getByName(text).getAddress());
    assertThat(IpAddress.parse("::ffff:" + text)).isEqualTo(address);
  }

  @Provide
  Arbitrary<String> almostAddresses() {
    return Arbitraries.of(
            ":", "::", ".", "0", "1", "ffff", "255", "256", "1.2.3.4", "g", "%", "00001")
        .list()
        .ofMaxSize(12)
        .map(pieces -> String.join("", pieces));
  }

  @Property(tries = 20_000)
  void acceptedIpv6TextIsTheSameAddressInTheJdk(@ForAll("almostAddresses") String text)
      throws UnknownHostException {
    IpAddress address = IpAddress.tryParse(text);
    if (address != null && text.contains(":")) {
      assertThat(InetAddress.getByName(text).getAddress()).isEqualTo(bytes(address));
    }
  }

  @Property
  void aMaskedAddressLiesInTheBlockOfTheOriginal(
      @ForAll("groups") List<Integer> groups, @ForAll @IntRange(max = 128) int bits) {
    IpAddress address = IpAddress.parse(spelled(groups));
    int prefix = Math.min(bits, address.bits());
    IpBlock block = new IpBlock(address, prefix);
    assertThat(block.contains(address)).isTrue();
    assertThat(block.contains(address.masked(prefix))).isTrue();
    assertThat(IpBlock.parse(block.toString())).isEqualTo(block);
  }
}
