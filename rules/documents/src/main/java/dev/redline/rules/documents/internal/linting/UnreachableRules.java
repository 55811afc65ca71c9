package dev.redline.rules.documents.internal.linting;

import dev.redline.core.internal.path.PathIndex;
import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.internal.path.RankList;
import dev.redline.core.key.KeyField;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.OnMissingIdentity;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.internal.problem.LocatedRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds rules that never apply because an earlier rule of their set ends the evaluation of all
 * their requests.
 *
 * <p>A rule that stops all requests of another also stops any single one of them. Therefore a path
 * index is searched with one sample path per rule, and only the rules found are compared. This
 * avoids comparing all pairs of rules.
 */
final class UnreachableRules {
  private final List<LocatedRule> ordered;
  private final ComparisonBudget budget;

  /** The paths of each rule, in the same order. */
  private final List<List<PathPattern>> paths;

  private final PathIndex stoppers;

  private UnreachableRules(List<LocatedRule> members, ComparisonBudget budget) {
    this.budget = budget;
    this.ordered = new ArrayList<>(members);
    ordered.sort(Comparator.comparing(LocatedRule::rule, RuleBook.EVALUATION_ORDER));
    this.paths =
        ordered.stream()
            .map(read -> read.rule().paths().stream().map(PathPattern::parse).toList())
            .toList();
    PathIndex.Builder index = PathIndex.builder();
    for (int i = 0; i < ordered.size(); i++) {
      RateLimitRule rule = ordered.get(i).rule();
      if (!stops(rule)) {
        continue;
      }
      if (rule.paths().isEmpty()) {
        index.addAlways(i);
      }
      for (PathPattern path : paths.get(i)) {
        index.add(path, i);
      }
    }
    this.stoppers = index.build();
  }

  /** Reports a warning for each rule that can never apply. */
  static void find(List<LocatedRule> rules, ComparisonBudget budget) {
    Map<String, List<LocatedRule>> sets = new LinkedHashMap<>();
    for (LocatedRule read : rules) {
      sets.computeIfAbsent(read.rule().ruleSetId(), id -> new ArrayList<>()).add(read);
    }
    sets.values().forEach(members -> new UnreachableRules(members, budget).find());
  }

  private void find() {
    for (int i = 0; i < ordered.size() && !budget.isSpent(); i++) {
      LocatedRule read = ordered.get(i);
      if (read.rule().enabled()) {
        warn(read, i);
      }
    }
  }

  private void warn(LocatedRule read, int order) {
    RateLimitRule rule = read.rule();
    RankList candidates = new RankList();
    if (rule.paths().isEmpty()) {
      stoppers.findWithoutPath(candidates);
    } else {
      stoppers.find(sample(rule.paths().get(0)), candidates);
    }
    long comparisons = candidates.size() * (1L + rule.methods().size());
    if (!budget.spend(comparisons, read.location(), read.line())) {
      return;
    }
    for (int i = 0; i < candidates.size() && candidates.get(i) < order; i++) {
      LocatedRule stopper = ordered.get(candidates.get(i));
      if (covers(candidates.get(i), order)) {
        read.location()
            .warning(
                read.line(),
                "id",
                rule.id(),
                "can never apply: rule '"
                    + stopper.rule().id()
                    + "' ("
                    + stopper.location().at(stopper.line())
                    + ") comes first and stops every request that could reach it");
        return;
      }
    }
  }

  /** Returns a path that the pattern matches. */
  private static String sample(String pattern) {
    StringBuilder path = new StringBuilder();
    for (String segment : pattern.substring(1).split("/", -1)) {
      if (segment.equals("**") || segment.startsWith("{*") || segment.isEmpty()) {
        continue;
      }
      boolean any = segment.equals("*") || segment.startsWith("{");
      path.append('/').append(any ? "x" : segment.replace("*", "").replace('?', 'x'));
    }
    return path.isEmpty() ? "/" : path.toString();
  }

  /** Returns whether every request that matches its paths and methods ends the evaluation here. */
  private static boolean stops(RateLimitRule rule) {
    boolean unconditional = rule.enabled() && rule.match().isAny();
    if (rule.action() == Action.ALLOW) {
      return unconditional;
    }
    boolean maySkip =
        rule.action() == Action.LIMIT
            && rule.onMissingIdentity() == OnMissingIdentity.SKIP
            && !rule.key().equals(List.of(KeyField.global()));
    return unconditional && rule.stop() && !maySkip;
  }

  private boolean covers(int first, int second) {
    RateLimitRule stopper = ordered.get(first).rule();
    RateLimitRule rule = ordered.get(second).rule();
    boolean methods =
        stopper.methods().isEmpty()
            || (!rule.methods().isEmpty()
                && rule.methods().stream().allMatch(stopper::matchesMethod));
    return methods && coversPaths(paths.get(first), second);
  }

  private boolean coversPaths(List<PathPattern> stopper, int second) {
    if (stopper.isEmpty()) {
      return true;
    }
    LocatedRule read = ordered.get(second);
    List<PathPattern> rule = paths.get(second);
    return !rule.isEmpty()
        && rule.stream()
            .allMatch(
                path ->
                    budget.spend(stopper.size(), read.location(), read.line())
                        && stopper.stream().anyMatch(own -> own.covers(path)));
  }
}
