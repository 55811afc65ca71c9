package dev.redline.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What Maven Central demands of a POM. */
class PublishedPomsTest {

  static List<Pom> published() {
    return Reactor.published();
  }

  @ParameterizedTest
  @MethodSource("published")
  void namesAndDescribesItself(Pom pom) {
    assertThat(pom.text("name")).isNotBlank();
    assertThat(pom.text("description")).isNotBlank();
  }

  @ParameterizedTest
  @MethodSource("published")
  void hasOriginAndLicence(Pom pom) {
    Pom owner = pom.hasParent() ? Reactor.buildSettings() : pom;
    assertThat(owner.text("url")).isEqualTo("https://github.com/redline-dev/redline");
    assertThat(owner.text("licenses", "license", "name")).isEqualTo("MIT");
    assertThat(owner.text("licenses", "license", "url")).isNotBlank();
    assertThat(owner.text("developers", "developer", "name")).isNotBlank();
    assertThat(owner.text("scm", "url")).startsWith(owner.text("url"));
    assertThat(owner.text("scm", "connection")).startsWith("scm:git:" + owner.text("url"));
    assertThat(owner.text("scm", "developerConnection")).startsWith("scm:git:ssh://");
  }

  @Test
  void theBillOfMaterialsNamesPublishedLibrariesOnly() {
    assertThat(published()).map(Pom::toString).containsAll(Reactor.libraries());
  }
}
