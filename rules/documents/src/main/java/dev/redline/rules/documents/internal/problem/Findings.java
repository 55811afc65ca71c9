package dev.redline.rules.documents.internal.problem;

import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.internal.parsing.HiddenValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The problems found while the documents of one source are read. */
public final class Findings {
  private final List<RuleProblem> errors = new ArrayList<>();
  private final List<RuleProblem> warnings = new ArrayList<>();
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
    return sorted(errors, documents);
  }

  /** Returns the warnings, grouped by document in the given order, then by line. */
  public List<RuleProblem> warnings(List<String> documents) {
    return sorted(warnings, documents);
  }

  private static List<RuleProblem> sorted(List<RuleProblem> problems, List<String> documents) {
    Comparator<RuleProblem> byDocument =
        Comparator.comparingInt(problem -> documents.indexOf(problem.document()));
    return problems.stream().sorted(byDocument.thenComparingInt(RuleProblem::line)).toList();
  }
}
