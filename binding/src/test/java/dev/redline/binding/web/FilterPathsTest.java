package dev.redline.binding.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class FilterPathsTest {
  @Test
  void coverEveryPathByDefault() {
    FilterPaths paths = FilterPaths.of(List.of(), List.of());

    assertThat(paths.cover("/")).isTrue();
    assertThat(paths.cover("/api/x/y")).isTrue();
  }

  @Test
  void lastStarCoversAnyDepth() {
    FilterPaths paths = FilterPaths.of(List.of("/api/*"), List.of("/api/public/*"));

    assertThat(paths.cover("/api")).isTrue();
    assertThat(paths.cover("/api/a/b/c")).isTrue();
    assertThat(paths.cover("/other")).isFalse();
    assertThat(paths.cover("/api/public/x/y")).isFalse();
  }

  @Test
  void starWithinThePathCoversOneSegment() {
    FilterPaths paths = FilterPaths.of(List.of("/api/*/items"), List.of());

    assertThat(paths.cover("/api/a/items")).isTrue();
    assertThat(paths.cover("/api/a/b/items")).isFalse();
  }

  @Test
  void rejectsTextThatIsNoPattern() {
    assertThatThrownBy(() -> FilterPaths.of(List.of("*.html"), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("*.html");
  }
}
