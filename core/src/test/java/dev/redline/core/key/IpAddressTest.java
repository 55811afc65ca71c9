package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.0.0.0",
    "255.255.255.255, 255.255.255.255",
    "203.0.113.7, 203.0.113.7",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
    "2001:0db8::0001, 2001:db8::1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    "::ffff:203.0.113.7, 203.0.113.7",
    "::FFFF:cb00:7107, 203.0.113.7",
    "0:0:0:0:0:ffff:203.0.113.7, 203.0.113.7",
    "::203.0.113.7, ::cb00:7107",
    "64:ff9b::203.0.113.7, 64:ff9b::cb00:7107",
    "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304"
  })
  void everySpellingHasOneCanonicalText(String text, String canonical) {
    assertThat(IpAddress.parse(text)).hasToString(canonical);
    assertThat(IpAddress.parse(canonical)).isEqualTo(IpAddress.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "1",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "256.1.1.1",
        "1.2.3.0004",
        "01.2.3.4",
        "0x1.2.3.4",
        "1.2.3.4 ",
        "+1.2.3.4",
        "1.2.3.-4",
        "١.2.3.4",
        "localhost",
        "example.org",
        ":",
        ":::",
        "1:",
        ":1",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        "1::2::3",
        "12345::",
        "g::",
        "１::",
        "::1.2.3",
        "::1.2.3.4.5",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "1.2.3.4::",
        "[::1]",
        "::1%eth0",
        "::1/64",
        "1.2.3.4:80",
        "0000:0000:0000:0000:0000:ffff:255.255.255.2555"
      })
  void rejectsWhatIsNoAddressWithItsText(String text) {
    assertThat(IpAddress.tryParse(text)).isNull();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IpAddress.parse(text))
        .withMessage("not an IP address: '" + text + "'");
  }

  @Test
  void maskingClearsAllButThePrefix() {
    assertThat(IpAddress.parse("203.0.113.255").masked(25)).hasToString("203.0.113.128");
    assertThat(IpAddress.parse("203.0.113.255").masked(0)).hasToString("0.0.0.0");
    assertThat(IpAddress.parse("203.0.113.255").masked(32)).hasToString("203.0.113.255");
    IpAddress v6 = IpAddress.parse("2001:db8:1:2:ffff:ffff:ffff:ffff");
    assertThat(v6.masked(0)).hasToString("::");
    assertThat(v6.masked(47)).hasToString("2001:db8::");
    assertThat(v6.masked(64)).hasToString("2001:db8:1:2::");
    assertThat(v6.masked(65)).hasToString("2001:db8:1:2:8000::");
    assertThat(v6.masked(128)).isEqualTo(v6);
  }

  @Test
  void addressesOfDifferentFamiliesDiffer() {
    assertThat(IpAddress.parse("0.0.0.1")).isNotEqualTo(IpAddress.parse("::1"));
    assertThat(IpAddress.parse("0.0.0.1").bits()).isEqualTo(32);
    assertThat(IpAddress.parse("::1").bits()).isEqualTo(128);
  }
}
