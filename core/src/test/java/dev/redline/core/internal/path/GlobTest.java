package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "*, ''",
    "*, abc",
    "a*, a",
    "a?c, abc",
    "*b*, abc",
    "*.b.*, a.b.b.c",
    "a*a, aa",
    "??, ab",
    "**, x"
  })
  void matches(String glob, String text) {
    assertThat(new Glob(glob).matches(text)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "'', a", "a, A", "a, ''", "?, ''", "a*a, a", "a?c, ac", "*b, abc", "[ab], a", ".*, a"
  })
  void doesNotMatch(String glob, String text) {
    assertThat(new Glob(glob).matches(text)).isFalse();
  }

  @Test
  void aPartOfATextIsMatchedAlone() {
    assertThat(new Glob("b*").matches("abcd", 1, 3)).isTrue();
    assertThat(new Glob("b*d").matches("abcd", 1, 3)).isFalse();
  }

  @Test
  @Timeout(5)
  void manyStarsDoNotExplode() {
    assertThat(new Glob("*a".repeat(50) + "b").matches("a".repeat(20_000))).isFalse();
  }
}
