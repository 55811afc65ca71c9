package dev.redline.rules.documents.reading;

import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.internal.syntax.Suggestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The plans that rules name, checked when all plans are known. */
final class PlanReferences {
  /** Looking for what was meant costs time for each plan; a handful of hints is enough. */
  private static final int MAX_SUGGESTIONS = 100;

  private record Reference(ProblemLocation place, int line, String field, String plan) {}

  private final List<Reference> references = new ArrayList<>();

  void add(ProblemLocation place, int line, String field, String plan) {
    references.add(new Reference(place, line, field, plan));
  }

  /** Reports the references to plans that are neither here nor elsewhere. */
  void check(Set<String> here, Set<String> elsewhere) {
    int unknown = 0;
    Set<String> known = new TreeSet<>(elsewhere);
    known.addAll(here);
    for (Reference reference : references) {
      if (known.contains(reference.plan())) {
        continue;
      }
      Optional<String> meant =
          ++unknown <= MAX_SUGGESTIONS
              ? Suggestions.closest(reference.plan(), known)
              : Optional.empty();
      reference
          .place()
          .error(
              reference.line(),
              reference.field(),
              reference.plan(),
              reference.field() + ": unknown plan '" + reference.plan() + "'",
              meant);
    }
  }
}
