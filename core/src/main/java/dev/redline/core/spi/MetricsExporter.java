package dev.redline.core.spi;

import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Records decisions, failures and timings.
 *
 * <p>Meters are created when a rule book comes into force and kept, so that the request path only
 * increments. Implementations are thread-safe, never block and never throw.
 */
public interface MetricsExporter {
  /** An exporter that records nothing. */
  MetricsExporter NONE = (ruleSetId, ruleId) -> RuleMeter.NONE;

  /** Counts the results of one rule or plan. */
  interface RuleMeter {
    /** A meter that counts nothing. */
    RuleMeter NONE = result -> {};

    /** Counts one result. */
    void count(RuleResult result);
  }

  /** The decision of one rule about a request, independent of other rules. */
  enum RuleResult {
    /** The rule allows. */
    ALLOWED,
    /** The rule denies. */
    DENIED,
    /** The rule would deny, were it enforced. */
    SHADOW_DENIED,
    /** The store failed. */
    ERROR
  }

  /**
   * Returns the meter of a rule; the same one for the same names.
   *
   * @param ruleSetId the rule set, or {@code none} for plans
   * @param ruleId the rule or plan, or {@code none} where no rule matched
   */
  RuleMeter meter(String ruleSetId, String ruleId);

  /** Records how long a whole check took. */
  default void checked(long nanos) {}

  /** Records how long a store took, and whether it decided. */
  default void stored(String store, boolean success, long nanos) {}

  /**
   * Records that a store failed, why, and what decided in its place.
   *
   * @param store the store's {@linkplain dev.redline.core.store.StorageProvider#type type}
   */
  default void storeFailed(String store, OnStoreFailure strategy, StoreException.Kind kind) {}

  /**
   * Notifies that a rule book comes into force, before its meters are requested; meters of rules
   * that it does not have are no longer needed.
   */
  default void inForce(RuleBook book) {}

  /** Records that rules were fetched and read, and whether they came into force. */
  default void rulesLoaded(boolean success) {}

  /**
   * Records that the sources were read without error and still hold the rules in force: the last
   * success is now, although nothing was reloaded.
   */
  default void rulesConfirmed() {}

  /** Records that callers began (or, if negative, ceased) to wait for a refill. */
  default void waiting(int change) {}

  /** Records that an event was dropped because a listener is too slow. */
  default void eventDropped() {}

  /** Notifies which store is used, before the first acquisition. */
  default void showStore(String store) {}

  /**
   * Sets a gauge: whether the store was up when it was last seen.
   *
   * @param up does no I/O
   */
  default void showStoreHealth(String store, BooleanSupplier up) {}

  /** Sets the counts of tokens that the store leases. */
  default void showLeases(TokenLeases leases) {}

  /** Sets a gauge: how many keys are held in this process. */
  default void showLocalKeys(LongSupplier keys) {}

  /**
   * Sets a gauge: the state of a store's circuit breaker.
   *
   * @param states all states, in lower case
   * @param current returns one of them
   */
  default void showBreaker(String store, List<String> states, Supplier<String> current) {}
}
