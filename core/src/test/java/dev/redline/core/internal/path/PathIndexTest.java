package dev.redline.core.internal.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathIndexTest {
  private static List<Integer> find(PathIndex index, String path) {
    RankList ranks = new RankList();
    index.find(path, ranks);
    return list(ranks);
  }

  private static List<Integer> list(RankList ranks) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < ranks.size(); i++) {
      found.add(ranks.get(i));
    }
    return found;
  }

  private static PathIndex index(String... patterns) {
    PathIndex.Builder builder = PathIndex.builder();
    for (int rank = 0; rank < patterns.length; rank++) {
      builder.add(PathPattern.parse(patterns[rank]), rank);
    }
    return builder.build();
  }

  @Test
  void anEmptyIndexFindsNothing() {
    assertThat(find(index(), "/a")).isEmpty();
  }

  @Test
  void allMatchingRanksAreFoundInOrder() {
    PathIndex index = index("/**", "/a/b", "/**/b", "/{x}/b", "/a/*", "/a/**", "/c", "/?/b");
    assertThat(find(index, "/a/b")).containsExactly(0, 1, 2, 3, 4, 5, 7);
    assertThat(find(index, "/c")).containsExactly(0, 6);
    assertThat(find(index, "/")).containsExactly(0);
  }

  @Test
  void aRankWithSeveralMatchingPatternsIsFoundOnce() {
    PathIndex index =
        PathIndex.builder()
            .add(PathPattern.parse("/a/**"), 3)
            .add(PathPattern.parse("/**/b"), 3)
            .add(PathPattern.parse("/a/b"), 3)
            .build();
    assertThat(find(index, "/a/b")).containsExactly(3);
  }

  @Test
  void ruleForEveryPathIsFoundWithoutAPath() {
    PathIndex index = PathIndex.builder().addAlways(1).add(PathPattern.parse("/**"), 0).build();
    assertThat(find(index, "/a")).containsExactly(0, 1);
    RankList ranks = new RankList();
    index.findWithoutPath(ranks);
    assertThat(list(ranks)).containsExactly(1);
  }

  @Test
  void manyLiteralsAreDistinct() {
    PathIndex.Builder builder = PathIndex.builder();
    for (int i = 0; i < 1000; i++) {
      builder.add(PathPattern.parse("/r" + i), i);
    }
    PathIndex index = builder.build();
    for (int i = 0; i < 1000; i++) {
      assertThat(find(index, "/r" + i)).containsExactly(i);
    }
    assertThat(find(index, "/r1000")).isEmpty();
    assertThat(find(index, "/r")).isEmpty();
  }

  /** All nodes have edges of the same segments. */
  @Test
  void edgesOfManyNodesAreDistinct() {
    int services = 70_000;
    PathIndex.Builder builder = PathIndex.builder();
    for (int i = 0; i < services; i++) {
      builder.add(PathPattern.parse("/s" + i + "/a"), 2 * i);
      builder.add(PathPattern.parse("/s" + i + "/b/**"), 2 * i + 1);
    }
    PathIndex index = builder.build();
    for (int i = 0; i < services; i += 997) {
      assertThat(find(index, "/s" + i + "/a")).containsExactly(2 * i);
      assertThat(find(index, "/s" + i + "/a/x")).isEmpty();
      assertThat(find(index, "/s" + i + "/b")).containsExactly(2 * i + 1);
      assertThat(find(index, "/s" + i + "/b/x/y")).containsExactly(2 * i + 1);
      assertThat(find(index, "/s" + i)).isEmpty();
      assertThat(find(index, "/a")).isEmpty();
    }
  }

  @Test
  void patternThatIsAPrefixOfOthersIsFoundWithThem() {
    PathIndex index = index("/a/b", "/a/b/**", "/a/b/c", "/a", "/a/b");
    assertThat(find(index, "/a")).containsExactly(3);
    assertThat(find(index, "/a/b")).containsExactly(0, 1, 4);
    assertThat(find(index, "/a/b/c")).containsExactly(1, 2);
    assertThat(find(index, "/a/b/d")).containsExactly(1);
  }
}
