package dev.redline.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A tag selects all tests of one proof technique, so no test of that technique may lack it. */
class TestTagsTest {
  private static final Pattern TAG = Pattern.compile("^\\s*@Tag\\(\"(.*?)\"\\)", Pattern.MULTILINE);

  /** A technique, and how a test class that uses it looks: its path, a line break, its source. */
  enum Technique {
    LINCHECK("\\R(?s:.*)^import (static )?org\\.jetbrains\\.lincheck\\.", "org.junit.jupiter"),
    PROPERTIES("\\R(?s:.*)^import net\\.jqwik\\.api\\.Property;", "net.jqwik"),
    STRESS("^.*(Stress|Liveness)Test\\.java\\R", "org.junit.jupiter"),
    FAULTS(
        "Test\\.java\\R(?s:.*)(FaultProxy\\.|\\.kill\\(\\)|\\.pause\\(\\))", "org.junit.jupiter");

    final Pattern sign;
    final String engine;

    Technique(String sign, String engine) {
      this.sign = Pattern.compile(sign, Pattern.MULTILINE);
      this.engine = engine;
    }

    boolean isUsedBy(Path file, String source) {
      return sign.matcher(file + "\n" + source).find();
    }

    /** Each engine knows its own annotation only; the other one's would be ignored. */
    boolean isTaggedIn(String source) {
      return source.contains("@Tag(\"" + name().toLowerCase(Locale.ROOT) + "\")")
          && source.contains("import " + engine + ".api.Tag;");
    }
  }

  @ParameterizedTest
  @EnumSource
  void testsOfATechniqueAreTagged(Technique technique) throws IOException {
    List<Path> used = new ArrayList<>();
    List<Path> untagged = new ArrayList<>();
    for (Path file : Reactor.testSources()) {
      String source = Files.readString(file);
      if (technique.isUsedBy(file, source)) {
        used.add(file);
        if (!technique.isTaggedIn(source)) {
          untagged.add(file);
        }
      }
    }

    assertThat(used).isNotEmpty();
    assertThat(untagged).isEmpty();
  }

  @Test
  void tagsAreThoseThatTheBuildKnows() throws IOException {
    TreeSet<String> tags = new TreeSet<>();
    for (Path file : Reactor.testSources()) {
      Matcher tag = TAG.matcher(Files.readString(file));
      while (tag.find()) {
        tags.add(tag.group(1));
      }
    }

    assertThat(tags)
        .containsExactlyInAnyOrder(
            Reactor.buildSettings().text("properties", "redline.tags").split("\\|"));
  }
}
