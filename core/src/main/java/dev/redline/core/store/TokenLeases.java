package dev.redline.core.store;

/**
 * Counts the tokens that a store has taken ahead of demand, to spend them in this process without a
 * call. All numbers are tokens since the start; what was acquired is spent, refunded, dropped or
 * still held. Thread-safe; reading costs as much as there are leases.
 */
public interface TokenLeases {
  /** Returns how many tokens were taken ahead of demand. */
  long acquired();

  /** Returns how many of them callers were allowed to use. */
  long spent();

  /** Returns how many of them were given back to the store. */
  long refunded();

  /** Returns how many of them expired unused: refill replaced them, or buckets were reset. */
  long dropped();

  /** Returns how many of them this process can spend now. */
  long held();
}
