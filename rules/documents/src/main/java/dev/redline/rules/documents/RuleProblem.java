package dev.redline.rules.documents;

import java.util.Objects;
import java.util.Optional;

/**
 * One thing that is wrong, or suspicious, in a rule document.
 *
 * @param document the document's name, usually a file
 * @param line the line, from 1
 * @param rule the rule's id, if it concerns a rule that has one
 * @param field the field as written, if it concerns one
 * @param value the value as written, if there is one
 * @param message what is wrong and what is allowed
 * @param suggestion what was probably meant
 */
public record RuleProblem(
    String document,
    int line,
    Optional<String> rule,
    Optional<String> field,
    Optional<String> value,
    String message,
    Optional<String> suggestion) {
  /** Checks that nothing is null. */
  public RuleProblem {
    Objects.requireNonNull(document, "document");
    Objects.requireNonNull(rule, "rule");
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(suggestion, "suggestion");
  }

  /** Returns the problem on one line: {@code file:line: rule 'id': message}. */
  @Override
  public String toString() {
    String text =
        document
            + ":"
            + line
            + ": "
            + rule.map(id -> "rule '" + id + "': ").orElse("")
            + message
            + suggestion.map(meant -> "; did you mean '" + meant + "'?").orElse("");
    return text.replace("\r", "\\r").replace("\n", "\\n");
  }
}
