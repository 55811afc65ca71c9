package dev.redline.rules.documents.reading;

import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.internal.syntax.Suggestions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The references of rules to plans, checked when all plans are known. */
final class PlanReferences {
  /** Each suggestion compares the name with all plans, so their number is bounded. */
  private static final int MAX_SUGGESTIONS = 100;

  private record Reference(ProblemLocation location, int line, String field, String plan) {}

  private final List<Reference> references = new ArrayList<>();

  void add(ProblemLocation location, int line, String field, String plan) {
    references.add(new Reference(location, line, field, plan));
  }

  /** Reports references to plans that neither this source nor another one defines. */
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
          .location()
          .error(
              reference.line(),
              reference.field(),
              reference.plan(),
              reference.field() + ": unknown plan '" + reference.plan() + "'",
              meant);
    }
  }
}
