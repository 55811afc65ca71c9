package dev.redline.rules.documents;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is being read, as far as problems have to name it.
 *
 * @param findings where problems go
 * @param document the document's name
 * @param rule the rule, once its id is known
 * @param within what of it, as the beginning of a message: {@code "band 2: "}, or nothing
 */
record ProblemLocation(Findings findings, String document, Optional<String> rule, String within) {
  private static final int MAX_VALUE = 200;
  private static final int MAX_MESSAGE = 600;

  /** All problems found so far. */
  static final class Findings {
    private final List<RuleProblem> errors = new ArrayList<>();
    private final List<RuleProblem> warnings = new ArrayList<>();
    private final HiddenValues hidden = new HiddenValues();

    /** Returns the values that problems do not show. */
    HiddenValues hidden() {
      return hidden;
    }

    /** Returns the errors, those of each document together and by line. */
    List<RuleProblem> errors(List<String> documents) {
      return sorted(errors, documents);
    }

    /** Returns the warnings, those of each document together and by line. */
    List<RuleProblem> warnings(List<String> documents) {
      return sorted(warnings, documents);
    }

    private static List<RuleProblem> sorted(List<RuleProblem> problems, List<String> documents) {
      Comparator<RuleProblem> byDocument =
          Comparator.comparingInt(problem -> documents.indexOf(problem.document()));
      return problems.stream().sorted(byDocument.thenComparingInt(RuleProblem::line)).toList();
    }
  }

  /** Nobody reads a megabyte that should have been a number. */
  private static String shortened(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 1) + "…";
  }

  static ProblemLocation document(Findings findings, String name) {
    return new ProblemLocation(findings, name, Optional.empty(), "");
  }

  ProblemLocation rule(String id) {
    return new ProblemLocation(findings, document, Optional.of(id), within);
  }

  ProblemLocation within(String what) {
    return new ProblemLocation(findings, document, rule, within + what + ": ");
  }

  String at(int line) {
    return document + ":" + line;
  }

  void error(int line, String message) {
    findings.errors.add(problem(line, null, null, message, Optional.empty()));
  }

  void missing(int line, String field, String message) {
    findings.errors.add(problem(line, field, null, message, Optional.empty()));
  }

  void error(int line, String field, String value, String message) {
    error(line, field, value, message, Optional.empty());
  }

  void error(int line, String field, String value, String message, Optional<String> suggestion) {
    findings.errors.add(problem(line, field, value, message, suggestion));
  }

  /** Reports what a check of the model refused, so that field and value are named once. */
  void refused(int line, String field, String value, IllegalArgumentException refusal) {
    String why = String.valueOf(refusal.getMessage());
    StringBuilder message = new StringBuilder();
    if (!why.startsWith(field + " ")) {
      message.append(field).append(": ");
    }
    message.append(why);
    HiddenValues hidden = findings.hidden;
    if (!hidden.without(line, why).contains(hidden.without(line, value))) {
      message.append(" (written as '").append(value).append("')");
    }
    Optional<String> suggestion =
        refusal instanceof MisspeltException misspelt ? misspelt.suggestion() : Optional.empty();
    error(line, field, value, message.toString(), suggestion);
  }

  void warning(int line, String field, String value, String message) {
    findings.warnings.add(problem(line, field, value, message, Optional.empty()));
  }

  private RuleProblem problem(
      int line,
      @Nullable String field,
      @Nullable String value,
      String message,
      Optional<String> suggestion) {
    Optional<String> written = Optional.ofNullable(value);
    // A suggestion is made of the value, and would show what the problem hides.
    boolean hidden = written.filter(text -> findings.hidden.hides(line, text)).isPresent();
    return new RuleProblem(
        document,
        line,
        rule.map(id -> shown(line, id, MAX_VALUE)),
        Optional.ofNullable(field).map(name -> shown(line, name, MAX_VALUE)),
        written.map(text -> shown(line, text, MAX_VALUE)),
        shown(line, within + message, MAX_MESSAGE),
        hidden ? Optional.empty() : suggestion);
  }

  private String shown(int line, String text, int length) {
    return shortened(findings.hidden.without(line, text), length);
  }
}
