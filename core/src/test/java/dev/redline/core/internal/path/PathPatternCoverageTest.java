package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternCoverageTest {
  @ParameterizedTest
  @CsvSource({
    "/**, /api/x",
    "/**, /**",
    "/**, /",
    "/api/**, /api",
    "/api/**, /api/**",
    "/api/**, /api/{id}/*",
    "/api/**, /api/v1/**",
    "/api/*, /api/{id}",
    "/a?i, /api",
    "/**/admin, /x/admin",
    "/**/admin, /**/x/admin",
    "/**/admin/**, /**/admin/x/**",
    "/**/admin/**, /x/admin/y",
    "/{*rest}, /api",
    "/, /",
  })
  void coversWhatItAlwaysMatches(String broad, String narrow) {
    assertThat(PathPattern.parse(broad).covers(PathPattern.parse(narrow))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "/api/x, /**",
    "/api, /api/**",
    "/api/*, /api",
    "/api/*, /api/**",
    "/api/**, /**/api",
    "/api/**, /**",
    "/**/admin, /**/admin/**",
    "/**/admin, /admin/x",
    "/a*, /{any}",
    "/a?i, /appi",
    "/, /x",
  })
  void doesNotCoverWhatItMayMiss(String broad, String narrow) {
    assertThat(PathPattern.parse(broad).covers(PathPattern.parse(narrow))).isFalse();
  }

  @Tag("properties")
  @Property(tries = 3000)
  void coveringPatternMatchesAllThatTheCoveredOneMatches(
      @ForAll("patterns") String broad,
      @ForAll("patterns") String narrow,
      @ForAll("paths") String path) {
    PathPattern covering = PathPattern.parse(broad);
    PathPattern covered = PathPattern.parse(narrow);
    if (covering.covers(covered) && covered.matches(path)) {
      assertThat(covering.matches(path)).as("%s covers %s, %s", broad, narrow, path).isTrue();
    }
  }

  @Test
  void everyPatternCoversItself() {
    for (String text : List.of("/", "/**", "/a/**", "/**/a", "/**/a/**", "/a/*/b?", "/{x}/{*y}")) {
      assertThat(PathPattern.parse(text).covers(PathPattern.parse(text))).as(text).isTrue();
    }
  }

  @Provide
  Arbitrary<String> patterns() {
    Arbitrary<String> middle =
        Arbitraries.of("a", "b", "*", "a*", "?")
            .list()
            .ofMaxSize(3)
            .map(parts -> parts.stream().map(part -> "/" + part).collect(Collectors.joining()));
    return middle.flatMap(
        text ->
            Arbitraries.of(text, "/**" + text, text + "/**", "/**" + text + "/**")
                .filter(pattern -> !pattern.isEmpty()));
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of("a", "b", "ab")
        .list()
        .ofMaxSize(4)
        .map(parts -> "/" + String.join("/", parts));
  }
}
