package dev.redline.core.internal.rule;

import dev.redline.core.internal.path.PathIndex;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.key.RequestContext;
import java.util.List;

/** The rules of one rule set, or of all, in order of evaluation, found by path. Immutable. */
public final class RuleIndex {
  private final CompiledRule[] rules;
  private final PathIndex paths;

  /** Indexes rules that are in order of evaluation. */
  public RuleIndex(List<CompiledRule> ordered) {
    this.rules = ordered.toArray(new CompiledRule[0]);
    PathIndex.Builder builder = PathIndex.builder();
    for (int i = 0; i < rules.length; i++) {
      CompiledRule rule = rules[i];
      if (!rule.rule().enabled()) {
        continue;
      }
      if (rule.paths().isEmpty()) {
        builder.addAlways(i);
      }
      for (PathPattern path : rule.paths()) {
        builder.add(path, i);
      }
    }
    this.paths = builder.build();
  }

  /** Returns how many rules there are. */
  public int size() {
    return rules.length;
  }

  /** Returns the rule at a rank that {@link #find} gave. */
  public CompiledRule get(int rank) {
    return rules[rank];
  }

  /** Puts the ranks of the enabled rules whose path matches into an empty list, in order. */
  public void find(RequestContext request, RankList ranks) {
    String path = request.pathOrNull();
    if (path == null) {
      paths.findWithoutPath(ranks);
    } else {
      paths.find(path, ranks);
    }
  }
}
