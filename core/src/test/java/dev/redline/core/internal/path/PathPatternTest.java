package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathPatternTest {
  private static boolean matches(String pattern, String path) {
    return PathPattern.parse(pattern).matches(path);
  }

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/api, /api",
    "/api/, /api",
    "/api/x, /api/x",
    "/api/?, /api/x",
    "/api/v?, /api/v1",
    "/api/*, /api/x",
    "/api/*, /api/x y",
    "/*/x, /api/x",
    "/api/v*, /api/v12",
    "/api/v*, /api/v",
    "/*.png, /a.b.png",
    "/a*b*c, /a1b2b3c",
    "/api/{id}, /api/42",
    "/{a}/{b}, /x/y",
    "/api/**, /api",
    "/api/**, /api/x",
    "/api/**, /api/x/y/z",
    "/api/**/, /api/x",
    "/api/{*rest}, /api",
    "/api/{*rest}, /api/x/y",
    "/**, /",
    "/**, /a/b",
    "/{*all}, /",
    "/**/x, /x",
    "/**/x, /a/b/x",
    "/{*lead}/x/y, /a/x/y",
    "/**/x/**, /x",
    "/**/x/**, /a/x/b",
    "/**/{id}/x, /a/b/x",
    "/**/*.js, /static/app.js",
    "/caf\u00e9, /caf\u00e9",
    "/100%, /100%"
  })
  void matchesWhatItDescribes(String pattern, String path) {
    assertThat(matches(pattern, path)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "/, /a",
    "/api, /",
    "/api, /API",
    "/api, /api/x",
    "/api, /apix",
    "/api/?, /api",
    "/api/?, /api/xy",
    "/api/*, /api",
    "/api/*, /api/x/y",
    "/*, /",
    "/*.png, /a/b.png",
    "/*.png, /png",
    "/api/{id}, /api",
    "/api/{id}, /api/1/2",
    "/api/**, /apis",
    "/api/**, /x/api",
    "/**/x, /x/y",
    "/**/x/y, /y",
    "/**/x/**, /a/b",
    "/{*lead}/x, /a/xx"
  })
  void doesNotMatch(String pattern, String path) {
    assertThat(matches(pattern, path)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "api, must start with",
    "'', must start with",
    "/a//b, empty segment",
    "//, empty segment",
    "/a/./b, never stands",
    "/a/.., never stands",
    "/a/**/b, only be the first or the last",
    "/a/{*x}/b, only be the first or the last",
    "/a**, whole segment",
    "/a/b{id}, whole segment",
    "/a/{id}.json, whole segment",
    "/a/{id, whole segment",
    "/a/id}, whole segment",
    "/a/{}, not a variable",
    "/a/{*}, not a variable",
    "/a/{1x}, not a variable",
    "'/a/{id:[0-9]+}', regex is not supported",
    "/{id}/{id}, used twice",
    "/{id}/{*id}, used twice",
    "/a%2Fb, never stands",
    "/my%20file, never stands",
    "/a;v=1, never stands",
    "'/a\\b', never stands"
  })
  void rejectsInvalidPatternWithTheReason(String pattern, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PathPattern.parse(pattern))
        .withMessageContaining("'" + pattern + "'")
        .withMessageContaining(why);
  }

  @Test
  void variablesAreNamedAndBound() {
    PathPattern pattern = PathPattern.parse("/tenants/{tenant}/users/{user-id}/{*rest}");
    assertThat(pattern.variables()).containsExactlyInAnyOrder("tenant", "user-id", "rest");
    assertThat(pattern.variable("/tenants/t1/users/u1/a/b", "tenant")).isEqualTo("t1");
    assertThat(pattern.variable("/tenants/t1/users/u1/a/b", "user-id")).isEqualTo("u1");
    assertThat(pattern.variable("/tenants/t1/users/u1/a/b", "rest")).isEqualTo("/a/b");
    assertThat(pattern.variable("/tenants/t1/users/u1", "rest")).isNull();
    assertThat(pattern.variable("/tenants/t1/users/u1", "other")).isNull();
    assertThat(pattern.variable("/elsewhere", "tenant")).isNull();
  }

  @Test
  void variablesBehindALeadingWildcardAreBoundFromTheEnd() {
    PathPattern pattern = PathPattern.parse("/{*lead}/users/{id}");
    assertThat(pattern.variable("/a/users/users/7", "id")).isEqualTo("7");
    assertThat(pattern.variable("/a/users/users/7", "lead")).isEqualTo("/a/users");
  }

  @Test
  void findsAStarThatIsTheWholeLastSegment() {
    assertThat(PathPattern.parse("/api/*").endsInOneSegmentWildcard()).isTrue();
    assertThat(PathPattern.parse("/api/**").endsInOneSegmentWildcard()).isFalse();
    assertThat(PathPattern.parse("/api/{id}").endsInOneSegmentWildcard()).isFalse();
    assertThat(PathPattern.parse("/api/v*").endsInOneSegmentWildcard()).isFalse();
  }

  @Test
  void equalSegmentsMakeEqualPatterns() {
    assertThat(PathPattern.parse("/api/"))
        .isEqualTo(PathPattern.parse("/api"))
        .hasSameHashCodeAs(PathPattern.parse("/api"))
        .isNotEqualTo(PathPattern.parse("/api/*"))
        .hasToString("/api/");
  }
}
