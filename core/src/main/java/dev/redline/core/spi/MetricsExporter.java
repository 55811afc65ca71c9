package dev.redline.core.spi;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StoreException;

/**
 * Where decisions, failures and timings are told.
 *
 * <p>Meters are asked for when a rule book is put in force and kept, so that the request path only
 * increments. Implementations are thread-safe, never block and never throw.
 */
public interface MetricsExporter {
  /** An exporter that tells nobody. */
  MetricsExporter NONE = (ruleSetId, ruleId) -> RuleMeter.NONE;

  /** Counts the verdicts of one rule or plan. */
  interface RuleMeter {
    /** A meter that counts nothing. */
    RuleMeter NONE = verdict -> {};

    /** Counts one verdict. */
    void count(Verdict verdict);
  }

  /** A rule's own verdict on a request. */
  enum Verdict {
    /** The rule passes. */
    ALLOWED,
    /** The rule refuses. */
    DENIED,
    /** The rule would refuse, were it enforced. */
    SHADOW_DENIED,
    /** The store could not tell. */
    ERROR
  }

  /**
   * Returns the meter of a rule; the same one for the same names.
   *
   * @param ruleSetId the rule set, or {@code none} for plans
   * @param ruleId the rule or plan, or {@code none} where no rule matched
   */
  RuleMeter meter(String ruleSetId, String ruleId);

  /** Tells how long a check took, everything included. */
  default void checked(long nanos) {}

  /** Tells how long a store took, and whether it answered. */
  default void stored(String store, boolean answered, long nanos) {}

  /**
   * Records that a store failed, why, and what decided in its place.
   *
   * @param store the store's {@linkplain dev.redline.core.store.StorageProvider#type type}
   */
  default void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {}

  /**
   * Tells that a rule book comes into force, before its meters are asked for; those of rules it
   * does not have are no longer needed.
   */
  default void inForce(RuleBook book) {}

  /** Tells that rules were fetched and read, and whether they could be put in force. */
  default void rulesLoaded(boolean success) {}

  /**
   * Records that the sources were read without error and still hold the rules in force: the last
   * success is now, although nothing was reloaded.
   */
  default void rulesConfirmed() {}

  /** Tells that callers began (or, if negative, ceased) to wait for a refill. */
  default void waiting(int change) {}

  /** Tells that an event was lost because whoever listens is too slow. */
  default void eventDropped() {}
}
