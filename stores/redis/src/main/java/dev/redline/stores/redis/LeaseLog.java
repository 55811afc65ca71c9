package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;

/** Hears of everything that happens to leases, for tests that replay it. Never throws. */
interface LeaseLog {
  /** Hears nothing. */
  LeaseLog NONE = new LeaseLog() {};

  /** A request was created, and will be sent. */
  default void requested(LeaseRequest request) {}

  /** Redis replied to a request in time. */
  default void replied(LeaseRequest request, Outcome outcome) {}

  /** A request failed: it is not known whether tokens were taken. */
  default void failed(LeaseRequest request) {}

  /** Tokens were spent, decided by the local time. */
  default void spent(LeaseBlock block, long cost, long nanos) {}

  /** A spend was taken back. */
  default void restored(LeaseBlock block, long cost, long nanos) {}

  /** Tokens are being refunded. */
  default void refunding(LeaseBlock block, long tokens) {}

  /**
   * Redis replied to a refund.
   *
   * @param bands the bands that got the tokens back, as bits from the lowest
   * @param nowMicros the server's time
   */
  default void refunded(LeaseBlock block, long tokens, long bands, long nowMicros) {}
}
