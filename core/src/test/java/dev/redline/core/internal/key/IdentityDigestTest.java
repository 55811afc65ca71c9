package dev.redline.core.internal.key;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdentityDigestTest {
  /** Keys of buckets contain digests, so another one would make them full. */
  @ParameterizedTest
  @CsvSource({
    "0, x:3a72ef5a1f0bdfcacf8b549a5212082fb69e7c9397eb1ed2a536fb37957227cd",
    "300, x:b2c14fc0155731b8a7ca373bdc67a8e4cba75a1946c82372fb3af4534f44f26c",
    "4089, x:6b69af7ade0a605feb63e5a34f3257d7eeb383bf7167c06b82bbecdd35b8d467",
    "4090, x:cb296489d66bb8f0cd05a9b74ae0b04a0e630871bb7cd1867a6cb435679b2483",
    "4091, x:a3b23a4897280529961f99eae6faf64d439528275966c011ade20b09b6797796",
    "100000, x:c3f646e9625dcbfe52fccb9b3ec00438e811604a2067154bd9cb4efd755ec72b"
  })
  void digestStaysTheSameInEveryVersion(int length, String digest) {
    String text = "u:\u00e4\u20ac\ud83d\ude00\ud800" + "x".repeat(length);
    assertThat(IdentityDigest.of(text)).isEqualTo(digest);
  }

  @Test
  void recentDigestsAreThoseOfTheirIdentities() {
    RecentDigests recent = new RecentDigests();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 10; i++) {
        String identity = "x".repeat(300) + i;
        assertThat(recent.digest(identity)).isEqualTo(IdentityDigest.of(identity));
      }
    }
  }

  @Test
  void aRecentDigestIsNotComputedAgain() {
    RecentDigests recent = new RecentDigests();
    String first = recent.digest("x".repeat(300));
    assertThat(recent.digest("x".repeat(300))).isSameAs(first);
  }
}
