package dev.redline.rules.documents;

import java.util.List;

/**
 * What came of reading rule documents.
 *
 * @param document what they say; empty if anything is wrong, since an invalid document is refused
 *     whole
 * @param errors everything that is wrong, by document and line
 * @param warnings what is allowed but probably not meant; only looked for in valid documents
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
