package dev.redline.core.rule;

import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.key.KeyField;
import dev.redline.core.limit.RateLimitBand;
import java.util.Collection;
import java.util.List;

/** Checks of a rule that concern several of its fields. */
final class RuleConsistency {
  private RuleConsistency() {}

  /** Checks that action, limits, key and paths fit together. */
  static void check(
      Action action,
      List<RateLimitBand> bands,
      Collection<String> plans,
      List<KeyField> key,
      List<PathPattern> paths) {
    boolean limits = !bands.isEmpty() || !plans.isEmpty();
    if (action == Action.LIMIT && !limits) {
      throw new IllegalArgumentException("needs at least one of limit, bands, plan");
    }
    if (action != Action.LIMIT && limits) {
      throw new IllegalArgumentException("action " + action + " takes no limits");
    }
    for (KeyField field : key) {
      if (field.kind() == KeyField.Kind.PATH_VARIABLE
          && paths.stream().noneMatch(path -> path.variables().contains(field.name()))) {
        throw new IllegalArgumentException(
            "key '" + field + "': no path of the rule has a {" + field.name() + "}");
      }
    }
  }
}
