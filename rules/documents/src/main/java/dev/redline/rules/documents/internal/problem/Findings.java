package dev.redline.rules.documents.internal.problem;

import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.internal.parsing.HiddenValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The problems found while the documents of one source are read. Their number is bounded: a
 * document may have an error for every few bytes.
 */
public final class Findings {
  private static final int MAX_PROBLEMS = 1000;

  private final Problems errors = new Problems("errors");
  private final Problems warnings = new Problems("warnings");
  private final HiddenValues hidden = new HiddenValues();

  void addError(RuleProblem problem) {
    errors.add(problem);
  }

  void addWarning(RuleProblem problem) {
    warnings.add(problem);
  }

  /** Returns the values that problems do not show. */
  public HiddenValues hidden() {
    return hidden;
  }

  /** Returns the errors, grouped by document in the given order, then by line. */
  public List<RuleProblem> errors(List<String> documents) {
    return errors.sorted(documents);
  }

  /** Returns the warnings, grouped by document in the given order, then by line. */
  public List<RuleProblem> warnings(List<String> documents) {
    return warnings.sorted(documents);
  }

  /** The first problems of one kind, and the number of the others. */
  private static final class Problems {
    private final String kind;
    private final List<RuleProblem> first = new ArrayList<>();
    private int more;

    Problems(String kind) {
      this.kind = kind;
    }

    void add(RuleProblem problem) {
      if (first.size() < MAX_PROBLEMS) {
        first.add(problem);
      } else {
        more++;
      }
    }

    List<RuleProblem> sorted(List<String> documents) {
      Comparator<RuleProblem> byDocument =
          Comparator.comparingInt(problem -> documents.indexOf(problem.document()));
      List<RuleProblem> sorted = new ArrayList<>(first);
      sorted.sort(byDocument.thenComparingInt(RuleProblem::line));
      if (more > 0) {
        RuleProblem last = sorted.get(sorted.size() - 1);
        sorted.add(
            new RuleProblem(
                last.document(),
                last.line(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                "… and " + more + " more " + kind,
                Optional.empty()));
      }
      return List.copyOf(sorted);
    }
  }
}
