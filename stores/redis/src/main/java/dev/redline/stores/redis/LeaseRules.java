package dev.redline.stores.redis;

/**
 * The rules that keep leases from allowing too much. There is one set of them; tests replace single
 * rules to prove that the history checker notices each mistake.
 */
class LeaseRules {
  static final LeaseRules CURRENT = new LeaseRules();

  /**
   * Returns the local time that the server's time of a reply stands for. The server read its clock
   * after the request was sent, so its clock shows at most as much more as has passed since then.
   */
  long clockStart(long sentNanos, long receivedNanos) {
    return sentNanos;
  }

  /**
   * Returns how many of the tokens refill has not replaced yet. A token that was replaced counts in
   * the bucket again, so spending it, too, would allow it twice.
   *
   * @param tokenNanos how long a token lasts; 0 if all tokens end together
   */
  long alive(long tokens, long endNanos, long tokenNanos, long nanos) {
    long left = endNanos - nanos;
    if (left <= 0) {
      return 0;
    }
    return tokenNanos == 0 ? tokens : Math.min(tokens, left / tokenNanos);
  }

  /** Returns how many tokens to refund. */
  long refundable(long tokens, long unspent) {
    return unspent;
  }

  /**
   * Returns whether the tokens of a reply are spent.
   *
   * @param inTime whether the request had not failed before
   */
  boolean accepts(boolean inTime) {
    return inTime;
  }

  /** Returns whether the tokens of a bucket that was reset since are dropped. */
  boolean dropsAfterReset() {
    return true;
  }
}
