package dev.redline.rules.documents;

import java.util.List;

/**
 * The result of reading rule documents.
 *
 * @param document the merged documents; empty if there are errors, because a document with an error
 *     is rejected as a whole
 * @param errors all errors, ordered by document and line; of more than 1000 the first that were
 *     found, and one that says how many more there are
 * @param warnings valid settings that are probably mistakes, as many as errors
 */
public record ReadResult(
    RuleDocument document, List<RuleProblem> errors, List<RuleProblem> warnings) {
  /** Copies the lists. */
  public ReadResult {
    errors = List.copyOf(errors);
    warnings = List.copyOf(warnings);
  }

  /** Returns whether the document may be applied. */
  public boolean valid() {
    return errors.isEmpty();
  }
}
