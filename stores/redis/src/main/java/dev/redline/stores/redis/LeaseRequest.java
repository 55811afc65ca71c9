package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;

/**
 * A request for tokens ahead of demand: a run of equal acquisitions, for which no caller waits. As
 * many of them pass as the bucket has tokens for. A reply after the deadline has no effect.
 */
final class LeaseRequest extends PendingAcquisition {
  /** How many acquisitions the run has at most; a larger request has larger ones. */
  static final int MAX_PORTIONS = 16;

  /** Hears how a request ended, once, on any thread; must not block. */
  interface Listener {
    void granted(LeaseRequest request, Outcome outcome);

    void failed(LeaseRequest request);
  }

  private final long id;
  private final LeasedKey leasedKey;
  private final int portions;
  private final LeaseRules rules;
  private final Listener listener;
  private volatile int passed;

  private LeaseRequest(
      long id,
      LeasedKey leasedKey,
      long portion,
      int portions,
      BucketKey.Maker keys,
      long deadlineNanos,
      LeaseRules rules,
      Listener listener) {
    super(Acquisition.of(leasedKey.key(), portion), keys, deadlineNanos, Waiter.EVENT_LOOP);
    this.id = id;
    this.leasedKey = leasedKey;
    this.portions = portions;
    this.rules = rules;
    this.listener = listener;
  }

  /** Returns the request of at most {@code tokens}, in equal portions. */
  static LeaseRequest of(
      long id,
      LeasedKey leasedKey,
      long tokens,
      BucketKey.Maker keys,
      long deadlineNanos,
      LeaseRules rules,
      Listener listener) {
    long portion = (tokens + MAX_PORTIONS - 1) / MAX_PORTIONS;
    int portions = (int) (tokens / portion);
    return new LeaseRequest(id, leasedKey, portion, portions, keys, deadlineNanos, rules, listener);
  }

  long id() {
    return id;
  }

  LeasedKey leasedKey() {
    return leasedKey;
  }

  /** Returns how many tokens each acquisition of the run takes. */
  long portion() {
    return acquisition().cost(0);
  }

  @Override
  int runLength() {
    return portions;
  }

  @Override
  void passed(long count) {
    passed = (int) count;
  }

  /** Returns how many acquisitions of the run passed. */
  int passed() {
    return passed;
  }

  /** Returns how many tokens were taken. */
  long tokens() {
    return passed * portion();
  }

  @Override
  public boolean complete(Outcome outcome) {
    boolean inTime = super.complete(outcome);
    if (rules.accepts(inTime)) {
      listener.granted(this, outcome);
    }
    return inTime;
  }

  @Override
  public boolean completeExceptionally(Throwable failure) {
    boolean first = super.completeExceptionally(failure);
    if (first) {
      listener.failed(this);
    }
    return first;
  }
}
