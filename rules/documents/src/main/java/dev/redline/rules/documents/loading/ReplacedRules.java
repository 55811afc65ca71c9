package dev.redline.rules.documents.loading;

import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules.Contribution;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.stream.Stream;

/**
 * Logs changes that have no effect: a rule was changed in a source, but a stronger source has a
 * rule of the same id.
 */
final class ReplacedRules {
  private static final Logger LOG = System.getLogger(ReplacedRules.class.getName());
  private static final RuleDocument NOTHING = EffectiveRules.NONE.document();
  private static final int MOST_LINES = 20;

  private ReplacedRules() {}

  /** Compares the former documents of the sources with the current ones, both weakest first. */
  static void log(List<Contribution> before, List<Contribution> now) {
    for (int weaker = 0; weaker < now.size() - 1; weaker++) {
      Contribution changed = now.get(weaker);
      RuleDocument old =
          before.stream()
              .filter(contribution -> contribution.source() == changed.source())
              .findFirst()
              .map(Contribution::document)
              .orElse(NOTHING);
      List<Contribution> stronger = now.subList(weaker + 1, now.size());
      RuleChanges changes = RuleChanges.between(old, changed.document());
      Stream.concat(changes.changed().stream(), changes.added().stream())
          .flatMap(
              id ->
                  stronger.stream()
                      .filter(one -> one.hasRule(id))
                      .map(one -> line(id, changed, one)))
          .limit(MOST_LINES)
          .forEach(line -> LOG.log(Level.WARNING, line));
    }
  }

  private static String line(String id, Contribution changed, Contribution stronger) {
    return "rule '"
        + id
        + "' of "
        + changed.source().name()
        + " has no effect: the one of "
        + stronger.source().name()
        + ", version "
        + stronger.document().version()
        + ", replaces it; change or delete it there";
  }
}
