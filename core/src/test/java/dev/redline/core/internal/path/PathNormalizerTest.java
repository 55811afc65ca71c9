package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PathNormalizerTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/x",
        "//api/x",
        "///api///x",
        "/api/../api/x",
        "/%61pi/x",
        "/%2561pi/x",
        "/%252561pi/x",
        "/%25252525252561pi/x",
        "/api%2Fx",
        "/api%2fx",
        "/api%252Fx",
        "/api;v=1/x",
        "/api%3Bv=1/x",
        "/;a=b/api/x;c=d;e",
        "/api\\x",
        "\\api\\x",
        "/api%5Cx",
        "/api%255cx",
        "/api/x/",
        "/api/x//",
        "/api/./x/.",
        "/api/y/../x",
        "/api/y/..;/x",
        "/api/y/..;a=b/x",
        "/api/y/%2e%2e/x",
        "/api/y/.%2E/x",
        "/api/y/%252e%252E%252fx",
        "/api/y/%2e%2e;/x",
        "/api/y\\..\\x",
        "/../../api/x",
        "/api/x?a=/b",
        "/api/x#/b",
        "/api/x/?",
        "/api/%78",
        "api/x",
        "http://host/api/x",
        "HTTPS://user:pass@host:8443/api/x?a=b",
        "http:\\\\host\\api\\x",
        "h2+x://host//api/x#f",
        "http:///api/x",
        "/%6%31pi/x",
        "/%%36%31pi/x"
      })
  void noSpellingOfAPathEscapesItsNormalForm(String spelling) {
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo("/api/x");
  }

  @ParameterizedTest
  @CsvSource({
    "/app/x, /app, /x",
    "/%61pp/x, /app, /x",
    "//app/x, /app/, /x",
    "/app/../app/x, app, /x",
    "/app;a=b/x/, /%61pp, /x",
    "/app/app/x, /app, /app/x",
    "/app, /app, /",
    "/x//y, /, /x/y",
    "/application/x, /app,",
    "/app/../x, /app,"
  })
  void partBelowAnApplicationIsFoundInAnySpelling(String path, String application, String part) {
    assertThat(PathNormalizer.within(path, application)).isEqualTo(part);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "//",
        "/.",
        "/..",
        "/../..",
        "/;x",
        "?q",
        "#f",
        "%2F",
        ".",
        "\\",
        "http://host",
        "http://host/",
        "http://host?/api/x",
        "http://",
        "http:// /.."
      })
  void nothingIsTheRoot(String spelling) {
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo("/");
  }

  @ParameterizedTest
  @CsvSource({
    "/100%, /100%",
    "/100%/x, /100%/x",
    "/a%zzb, /a%zzb",
    "/a%4, /a%4",
    "/a%g1%41, /a%g1A",
    "/%u0041, /%u0041",
    "/a%%, /a%%",
    "/%25, /%",
    "/%2525, /%"
  })
  void whatIsNoEscapeStays(String spelling, String normal) {
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo(normal);
  }

  @ParameterizedTest
  @CsvSource({
    "/caf%C3%A9, /café",
    "/café, /café",
    "/caf%25C3%25A9, /café",
    "/%F0%9F%98%80, /😀",
    "/😀/%61, /😀/a",
    "/a b, /a b",
    "/a%20b, /a b",
    "/a+b, /a+b"
  })
  void escapesAreUtf8(String spelling, String normal) {
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo(normal);
  }

  @Test
  void replacesInvalidUtf8() {
    assertThat(PathNormalizer.normalize("/a%FF/%61")).isEqualTo("/a\uFFFD/a");
    assertThat(PathNormalizer.normalize("/a%C3/b")).isEqualTo("/a\uFFFD/b");
    assertThat(PathNormalizer.normalize("/a/%C0%AE%C0%AE/b")).startsWith("/a/").endsWith("/b");
  }

  @Test
  void anEscapedQuestionMarkOrHashIsPartOfTheSegment() {
    assertThat(PathNormalizer.normalize("/a%3F/../b")).isEqualTo("/b");
    assertThat(PathNormalizer.normalize("/a%23b/c")).isEqualTo("/a%23b/c");
    assertThat(PathNormalizer.normalize("/a%253fb")).isEqualTo("/a%3Fb");
    assertThat(PathNormalizer.normalize("/login%3f")).isEqualTo("/login%3F");
    assertThat(PathNormalizer.normalize("/%3f/../login")).isEqualTo("/login");
  }

  @ParameterizedTest
  @CsvSource({
    "http:/api/x, /http:/api/x",
    "://host/x, /:/host/x",
    "http%3a//host/x, /http:/host/x",
    "/http://host/x, /http:/host/x",
    "//host/x, /host/x",
    "a:b/c, /a:b/c"
  })
  void whatIsNoUriIsAPath(String spelling, String normal) {
    assertThat(PathNormalizer.normalize(spelling)).isEqualTo(normal);
  }

  @Test
  void dotsWithinNamesStay() {
    assertThat(PathNormalizer.normalize("/a.b/..c/d../...")).isEqualTo("/a.b/..c/d../...");
    assertThat(PathNormalizer.normalize("/.well-known/x")).isEqualTo("/.well-known/x");
  }

  @Test
  void caseIsKept() {
    assertThat(PathNormalizer.normalize("/API/X")).isEqualTo("/API/X");
  }

  @Test
  void aPathInNormalFormIsReturnedItself() {
    String path = "/api/v1/users/42";
    assertThat(PathNormalizer.normalize(path)).isSameAs(path);
  }

  private static Stream<UnaryOperator<String>> costlyPaths() {
    return Stream.of(
        x -> "/" + "%25".repeat(x.length()) + "41",
        x -> "/%" + "25".repeat(x.length()) + "41/x",
        x -> "/" + "a/../".repeat(x.length()) + "x",
        x -> "/" + "%2e%2E;%2F".repeat(x.length()) + "x",
        x -> "/a".repeat(x.length()) + "/..".repeat(x.length()));
  }

  /** Processor time, not time: other programs on the machine do not count. */
  private static long cpuNanos(String path) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long start = threads.getCurrentThreadCpuTime();
      assertThat(PathNormalizer.normalize(path)).startsWith("/");
      least = Math.min(least, threads.getCurrentThreadCpuTime() - start);
    }
    return least;
  }

  @ParameterizedTest
  @MethodSource("costlyPaths")
  @Timeout(60)
  void timeIsLinearInTheLengthOfThePath(UnaryOperator<String> path) {
    int length = 5_000;
    cpuNanos(path.apply("x".repeat(length)));
    long small = cpuNanos(path.apply("x".repeat(length)));
    long large = cpuNanos(path.apply("x".repeat(20 * length)));
    assertThat(large).as("20 times the length, not 400 times the time").isLessThan(100 * small);
  }

  @Test
  void normalizesAMegabyteOfEscapes() {
    assertThat(PathNormalizer.normalize("/" + "%25".repeat(350_000) + "41"))
        .isEqualTo("/" + "%".repeat(349_999) + "A");
    assertThat(PathNormalizer.normalize("/%" + "25".repeat(500_000) + "41/x")).isEqualTo("/A/x");
    assertThat(PathNormalizer.normalize("/" + "a/../".repeat(200_000) + "x")).isEqualTo("/x");
    assertThat(PathNormalizer.normalize("/" + "%2e%2E;%2F".repeat(100_000) + "x")).isEqualTo("/x");
    assertThat(PathNormalizer.normalize("/a".repeat(500_000) + "/..".repeat(500_000)))
        .isEqualTo("/");
  }
}
