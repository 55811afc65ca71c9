package dev.redline.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ApiKeyDigestTest {
  @Test
  void isSha256WithoutSecret() {
    assertThat(ApiKeyDigest.unkeyed().of("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void isHmacSha256WithSecret() {
    // RFC 4231, test case 2
    assertThat(ApiKeyDigest.keyed("Jefe").of("what do ya want for nothing?"))
        .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  }

  @Test
  void rejectsEmptySecret() {
    assertThatIllegalArgumentException().isThrownBy(() -> ApiKeyDigest.keyed(""));
  }
}
