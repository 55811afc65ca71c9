package dev.redline.rules.documents.loading;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules.Contribution;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Merges the documents of all sources and puts them in force as one rule book. Publishes on one
 * thread at a time; {@link #effective} may be called by any thread.
 */
final class RulePublisher {
  // The log lines are part of what the loader reports.
  private static final Logger LOG = System.getLogger(RuleLoader.class.getName());

  private final RateLimitEngine engine;
  private final IdentitySettings identity;
  private final Clock clock;
  private final boolean resetBuckets;
  private final String sources;
  private @Nullable Instant inForceSince;
  private volatile EffectiveRules effective = EffectiveRules.NONE;

  /**
   * Creates a publisher; nothing is in force yet.
   *
   * @param resetBuckets whether changed limits start with full buckets
   * @param sources the names of the sources, for messages
   */
  RulePublisher(
      RateLimitEngine engine,
      IdentitySettings identity,
      Clock clock,
      boolean resetBuckets,
      String sources) {
    this.engine = engine;
    this.identity = identity;
    this.clock = clock;
    this.resetBuckets = resetBuckets;
    this.sources = sources;
  }

  /** Returns the rules in force and the contribution of each source. */
  EffectiveRules effective() {
    return effective;
  }

  /** Returns when the rules came into force; empty if there are none. */
  Optional<Instant> inForceSince() {
    return Optional.ofNullable(inForceSince);
  }

  /**
   * Puts merged documents in force if they changed.
   *
   * @param contributions the document of each source, weakest first
   * @return why they cannot be put in force: each is valid, but they contradict each other; empty
   *     if they are in force
   */
  List<String> publish(List<Contribution> contributions) {
    RuleDocument merged =
        EffectiveRules.merge(contributions.stream().map(Contribution::document).toList());
    RuleChanges changes = RuleChanges.between(effective.document(), merged);
    ReplacedRules.log(effective.contributions(), contributions);
    if (inForceSince != null && changes.none()) {
      effective = new EffectiveRules(effective.version(), merged, contributions);
      return List.of();
    }
    long version = Math.max(effective.version() + 1, merged.version());
    RuleBook book;
    try {
      book =
          merged
              .toBook()
              .version(version)
              .contentHash(RulesHash.of(merged))
              .identity(identity)
              .replacing(engine.book())
              .carryOver(!resetBuckets)
              .build();
    } catch (IllegalArgumentException e) {
      return List.of(sources + ": " + e.getMessage());
    }
    engine.use(book);
    effective = new EffectiveRules(version, merged, contributions);
    inForceSince = clock.instant();
    LOG.log(
        Level.INFO,
        "rules version {0} from {1} are in force (rules: {2}, plans: {3}): {4}",
        Long.toString(version),
        sources,
        Integer.toString(book.rules().size()),
        Integer.toString(book.plans().size()),
        changes);
    return List.of();
  }
}
