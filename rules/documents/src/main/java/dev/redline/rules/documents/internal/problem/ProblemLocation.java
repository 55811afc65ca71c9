package dev.redline.rules.documents.internal.problem;

import dev.redline.rules.documents.RuleProblem;
import dev.redline.rules.documents.internal.parsing.HiddenValues;
import dev.redline.rules.documents.internal.syntax.MisspeltException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The location that problems name: document, rule, and part of the rule.
 *
 * @param findings collects the problems
 * @param document the document's name
 * @param rule the rule, once its id is known
 * @param within the part of the rule, as the beginning of a message: {@code "band 2: "}, or nothing
 */
public record ProblemLocation(
    Findings findings, String document, Optional<String> rule, String within) {
  private static final int MAX_VALUE = 200;
  private static final int MAX_MESSAGE = 600;

  /** Bounds a message: a value in it may be megabytes long. */
  private static String shortened(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 1) + "…";
  }

  public static ProblemLocation document(Findings findings, String name) {
    return new ProblemLocation(findings, name, Optional.empty(), "");
  }

  public ProblemLocation rule(String id) {
    return new ProblemLocation(findings, document, Optional.of(id), within);
  }

  public ProblemLocation within(String what) {
    return new ProblemLocation(findings, document, rule, within + what + ": ");
  }

  public String at(int line) {
    return document + ":" + line;
  }

  public void error(int line, String message) {
    findings.addError(problem(line, null, null, message, Optional.empty()));
  }

  public void missing(int line, String field, String message) {
    findings.addError(problem(line, field, null, message, Optional.empty()));
  }

  public void error(int line, String field, String value, String message) {
    error(line, field, value, message, Optional.empty());
  }

  public void error(
      int line, String field, String value, String message, Optional<String> suggestion) {
    findings.addError(problem(line, field, value, message, suggestion));
  }

  /** Reports a value that the model rejected, naming field and value once. */
  public void rejected(int line, String field, String value, IllegalArgumentException cause) {
    String why = String.valueOf(cause.getMessage());
    StringBuilder message = new StringBuilder();
    if (!why.startsWith(field + " ")) {
      message.append(field).append(": ");
    }
    message.append(why);
    HiddenValues hidden = findings.hidden();
    if (!hidden.without(line, why).contains(hidden.without(line, value))) {
      message.append(" (written as '").append(value).append("')");
    }
    Optional<String> suggestion =
        cause instanceof MisspeltException misspelt ? misspelt.suggestion() : Optional.empty();
    error(line, field, value, message.toString(), suggestion);
  }

  public void warning(int line, String message) {
    findings.addWarning(problem(line, null, null, message, Optional.empty()));
  }

  public void warning(int line, String field, String value, String message) {
    findings.addWarning(problem(line, field, value, message, Optional.empty()));
  }

  private RuleProblem problem(
      int line,
      @Nullable String field,
      @Nullable String value,
      String message,
      Optional<String> suggestion) {
    Optional<String> written = Optional.ofNullable(value);
    // A suggestion is derived from the value and would reveal a hidden one.
    boolean hidden = written.filter(text -> findings.hidden().hides(line, text)).isPresent();
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
    return shortened(findings.hidden().without(line, text), length);
  }
}
