package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

@Tag("properties")
class PathIndexPropertiesTest {
  @Provide
  Arbitrary<PathPattern> patterns() {
    Arbitrary<String> middle =
        Arbitraries.of("a", "b", "ab", "aab", "*", "?", "a*", "*b", "?b", "{v}", "a?b*");
    Arbitrary<String> lead = Arbitraries.of("", "", "/**", "/{*lead}");
    Arbitrary<String> tail = Arbitraries.of("", "", "/", "/**", "/{*tail}");
    return Combinators.combine(lead, middle.list().ofMaxSize(4), tail)
        .as(PathIndexPropertiesTest::pattern);
  }

  private static PathPattern pattern(String lead, List<String> middle, String tail) {
    StringBuilder text = new StringBuilder(lead);
    for (int i = 0; i < middle.size(); i++) {
      text.append('/').append(middle.get(i).replace("{v}", "{v" + i + "}"));
    }
    text.append(tail);
    return PathPattern.parse(text.length() == 0 ? "/" : text.toString());
  }

  @Provide
  Arbitrary<String> paths() {
    return Arbitraries.of("a", "b", "ab", "aab", "abb", "ba", "c")
        .list()
        .ofMaxSize(6)
        .map(segments -> "/" + String.join("/", segments));
  }

  @Property(tries = 3000)
  void theIndexFindsExactlyThePatternsThatMatch(
      @ForAll("patternLists") List<PathPattern> patterns, @ForAll("paths") String path) {
    PathIndex.Builder builder = PathIndex.builder();
    List<Integer> expected = new ArrayList<>();
    for (int rank = 0; rank < patterns.size(); rank++) {
      builder.add(patterns.get(rank), rank);
      if (patterns.get(rank).matches(path)) {
        expected.add(rank);
      }
    }
    RankList ranks = new RankList();
    builder.build().find(path, ranks);
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      found.add(ranks.get(i));
    }
    assertThat(found).as("%s in %s", path, patterns).isEqualTo(expected);
  }

  @Provide
  Arbitrary<List<PathPattern>> patternLists() {
    return patterns().list().ofMaxSize(12);
  }

  @Property(tries = 3000)
  void matchingIsWhatTheGrammarSays(
      @ForAll("patterns") PathPattern pattern, @ForAll("paths") String path) {
    assertThat(pattern.matches(path))
        .as("%s on %s", pattern, path)
        .isEqualTo((path.equals("/") ? "" : path).matches(regex(pattern)));
  }

  /** Says the grammar once more, as a regular expression over paths; the root is "". */
  private static String regex(PathPattern pattern) {
    StringBuilder regex = new StringBuilder();
    String text = pattern.text();
    for (String segment : text.substring(1).split("/", -1)) {
      if (segment.isEmpty()) {
        continue;
      }
      if (segment.equals("**") || segment.startsWith("{*")) {
        regex.append("(/[^/]+)*");
      } else if (segment.equals("*") || segment.startsWith("{")) {
        regex.append("/[^/]+");
      } else {
        regex.append('/').append(segment.replace("?", "[^/]").replace("*", "[^/]*"));
      }
    }
    return regex.toString();
  }
}
