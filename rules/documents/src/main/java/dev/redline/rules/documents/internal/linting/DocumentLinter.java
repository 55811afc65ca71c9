package dev.redline.rules.documents.internal.linting;

import dev.redline.core.internal.path.PathPattern;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.rules.documents.internal.problem.LocatedPlan;
import dev.redline.rules.documents.internal.problem.LocatedRule;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds settings of a valid document that have no effect. Reports only certain cases, not all. */
public final class DocumentLinter {
  private DocumentLinter() {}

  /** Reports all warnings about rules and plans that were read without error. */
  public static void find(List<LocatedRule> rules, List<LocatedPlan> plans) {
    ComparisonBudget budget = new ComparisonBudget();
    Map<String, RateLimitPlan> plansById = new HashMap<>();
    for (LocatedPlan read : plans) {
      plansById.put(read.plan().id(), read.plan());
      bands(read.location(), read.plan().bands(), read.bandLines(), budget);
    }
    for (LocatedRule read : rules) {
      lastSegment(read);
      bands(read.location(), read.rule().bands(), read.bandLines(), budget);
      plans(read, plansById, budget);
    }
    UnreachableRules.find(rules, budget);
  }

  /** Reports rules that ask to wait for a refill, which the service does not support. */
  public static void waits(List<LocatedRule> rules) {
    for (LocatedRule read : rules) {
      if (read.rule().onLimitExceed().equals(Optional.of(OnLimitExceed.WAIT_FOR_REFILL))) {
        read.location()
            .warning(
                read.line(),
                "onLimitExceed",
                "WAIT_FOR_REFILL",
                "onLimitExceed WAIT_FOR_REFILL: the service never waits, it denies with"
                    + " retryAfterMs; only applications that embed Redline wait");
      }
    }
  }

  private static void lastSegment(LocatedRule read) {
    List<String> paths = read.rule().paths();
    for (int i = 0; i < paths.size(); i++) {
      String text = paths.get(i);
      if (PathPattern.parse(text).endsInOneSegmentWildcard()) {
        read.location()
            .warning(
                read.pathLines().get(i),
                "path",
                text,
                "path '" + text + "': one segment; did you mean `/**`?");
      }
    }
  }

  private static void bands(
      ProblemLocation location,
      List<RateLimitBand> bands,
      List<Integer> lines,
      ComparisonBudget budget) {
    for (int i = 0; i < bands.size(); i++) {
      if (!budget.spend(bands.size() - 1L, location, lines.get(i))) {
        return;
      }
      for (int j = 0; j < bands.size(); j++) {
        // Of two equal bands only the later one is reported.
        boolean equal = j > i && RedundantBand.test(bands.get(j), bands.get(i));
        if (i != j && !equal && RedundantBand.test(bands.get(i), bands.get(j))) {
          String label = bands.get(i).label().orElse("");
          String tighter = bands.get(j).label().orElse("");
          location.warning(
              lines.get(i),
              "label",
              label,
              "band '" + label + "' can never bind: band '" + tighter + "' is always tighter");
          break;
        }
      }
    }
  }

  /** Compares the bands of a rule with those of its plans, and the plans with each other. */
  private static void plans(
      LocatedRule read, Map<String, RateLimitPlan> plansById, ComparisonBudget budget) {
    record Owned(String owner, RateLimitBand band) {}
    if (read.rule().plans().isEmpty() || budget.isSpent()) {
      return;
    }
    List<Owned> all = new ArrayList<>();
    read.rule().bands().forEach(band -> all.add(new Owned("", band)));
    for (String id : read.rule().plans()) {
      RateLimitPlan plan = plansById.get(id);
      if (plan != null) {
        plan.bands().forEach(band -> all.add(new Owned(id, band)));
      }
    }
    for (int i = 0; i < all.size(); i++) {
      if (!budget.spend(all.size() - 1L, read.location(), read.line())) {
        return;
      }
      for (int j = 0; j < all.size(); j++) {
        Owned loose = all.get(i);
        Owned tight = all.get(j);
        boolean equal = j > i && RedundantBand.test(tight.band(), loose.band());
        if (!loose.owner().equals(tight.owner())
            && !equal
            && RedundantBand.test(loose.band(), tight.band())) {
          read.location()
              .warning(
                  read.line(),
                  loose.owner().isEmpty() ? "label" : "plan",
                  loose.owner().isEmpty() ? loose.band().label().orElse("") : loose.owner(),
                  named(loose.owner(), loose.band())
                      + " can never bind: "
                      + named(tight.owner(), tight.band())
                      + " is always tighter");
          break;
        }
      }
    }
  }

  private static String named(String plan, RateLimitBand band) {
    String label = "band '" + band.label().orElse("") + "'";
    return plan.isEmpty() ? label : label + " of plan '" + plan + "'";
  }
}
