package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

@Tag("properties")
class PathNormalizerPropertiesTest {
  private static final List<String> PIECES =
      List.of(
          "/", "//", "\\", ".", "..", ";", ";v=1", "a", "api", "x", "%", "%2", "%25", "%2F", "%2f",
          "%5C", "%2e", "%2E", "%3B", "%61", "%2561", "%41", "%C3%A9", "%FF", "5", "2", "F", "é",
          "😀", " ");

  private static final List<String> WITH_ENDS =
      Stream.concat(
              PIECES.stream(),
              Stream.of(
                  "?", "#", "%3F", "%3f", "%253f", "%23", "3", "f", "http://", "a:", "\uD83D"))
          .toList();

  @Provide
  Arbitrary<String> anySpellings() {
    return Arbitraries.of(WITH_ENDS).list().ofMaxSize(16).map(pieces -> String.join("", pieces));
  }

  @Provide
  Arbitrary<String> spellings() {
    return Arbitraries.of(PIECES).list().ofMaxSize(16).map(pieces -> String.join("", pieces));
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of("api", "x", "a.b", "é", "..a", "100%", "v 1")
        .list()
        .ofMaxSize(5)
        .map(segments -> "/" + String.join("/", segments));
  }

  @Property(tries = 5000)
  void theNormalFormIsNormal(@ForAll("anySpellings") String spelling) {
    String normal = PathNormalizer.normalize(spelling);
    assertThat(PathNormalizer.normalize(normal)).isEqualTo(normal);
  }

  @Property(tries = 5000)
  void theNormalFormHasNothingLeftToResolve(@ForAll("anySpellings") String spelling) {
    String normal = PathNormalizer.normalize(spelling);
    assertThat(normal)
        .startsWith("/")
        .doesNotContain("\\", ";", "//", "?", "#")
        .doesNotMatch(".*%(?!3F|23)[0-9A-Fa-f]{2}.*");
    for (String segment : normal.substring(1).split("/", -1)) {
      assertThat(segment).isNotIn(".", "..");
    }
    assertThat(normal.length() == 1 || !normal.endsWith("/")).isTrue();
  }

  @Property(tries = 5000)
  void onePassDecodesCompletely(@ForAll("spellings") String spelling) {
    byte[] bytes = spelling.getBytes(StandardCharsets.UTF_8);
    byte[] decoded = decodeOnce(bytes);
    while (decoded.length != bytes.length) {
      bytes = decoded;
      decoded = decodeOnce(bytes);
    }
    assertThat(PathNormalizer.normalize(spelling))
        .isEqualTo(PathNormalizer.normalize(new String(bytes, StandardCharsets.UTF_8)));
  }

  private static byte[] decodeOnce(byte[] in) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < in.length; i++) {
      boolean escape =
          in[i] == '%'
              && i + 2 < in.length
              && Character.digit(in[i + 1], 16) >= 0
              && Character.digit(in[i + 2], 16) >= 0;
      if (escape) {
        out.write(Character.digit(in[i + 1], 16) * 16 + Character.digit(in[i + 2], 16));
        i += 2;
      } else {
        out.write(in[i]);
      }
    }
    return out.toByteArray();
  }

  @Property(tries = 5000)
  void encodingAnyCharactersAnyNumberOfTimesChangesNothing(
      @ForAll("paths") String path, @ForAll("seeds") List<Integer> seeds) {
    String spelling = path;
    for (int seed : seeds) {
      spelling = encodeSome(spelling, seed);
    }
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo(PathNormalizer.normalize(path));
  }

  @Provide
  Arbitrary<List<Integer>> seeds() {
    return Arbitraries.integers().list().ofMaxSize(4);
  }

  private static String encodeSome(String text, int seed) {
    StringBuilder out = new StringBuilder();
    int bits = seed;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      bits = bits * 1_103_515_245 + 12_345;
      if (b < 0 || (bits >>> 16 & 1) == 1) {
        out.append(String.format("%%%02x", b & 0xFF));
      } else {
        out.append((char) b);
      }
    }
    return out.toString();
  }
}
