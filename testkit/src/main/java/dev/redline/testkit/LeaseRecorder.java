package dev.redline.testkit;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Records the leases of one node in a {@link History}: tokens that its store takes ahead of demand,
 * as a run of equal acquisitions ("portions"), and spends later. The store calls it; times are of
 * {@link System#nanoTime}. Thread-safe.
 */
public final class LeaseRecorder {
  private final String node;
  private final LongSupplier numbers;
  private final Map<Long, RecordedLease> leases = new ConcurrentHashMap<>();

  LeaseRecorder(String node, LongSupplier numbers) {
    this.node = node;
    this.numbers = numbers;
  }

  List<RecordedLease> leases() {
    return List.copyOf(leases.values());
  }

  private RecordedLease lease(long id) {
    RecordedLease lease = leases.get(id);
    if (lease == null) {
      throw new IllegalArgumentException("lease " + id + " of node " + node + " is unknown");
    }
    return lease;
  }

  /** Records that tokens are requested, before the request is sent. */
  public void requested(long id, RateLimitKey key, long portion, int portions) {
    History.Call call =
        new History.Call(numbers.getAsLong(), node, Acquisition.of(key, portion * portions));
    leases.put(id, new RecordedLease(call, portion, portions));
  }

  /**
   * Records the reply to a request.
   *
   * @param passed how many portions were taken
   * @param outcome the time, and the state just before
   * @param sentNanos when the request was sent
   */
  public void replied(long id, int passed, Outcome outcome, long sentNanos) {
    lease(id).replied(passed, outcome, sentNanos);
  }

  /** Records that a request failed; a reply that comes later does not count. */
  public void failed(long id) {
    lease(id).failed();
  }

  /** Records that tokens were spent, and at which time the store decided that. */
  public void spent(long id, long cost, long nanos) {
    lease(id).spent(cost, nanos);
  }

  /** Records that a spend was taken back. */
  public void restored(long id, long cost, long nanos) {
    lease(id).restored(cost, nanos);
  }

  /** Records that unspent tokens are refunded. */
  public void refunding(long id, long tokens) {
    RecordedLease lease = lease(id);
    Acquisition refund = Acquisition.of(lease.key(), tokens);
    lease.refunding(new History.Call(numbers.getAsLong(), node, refund), tokens);
  }

  /**
   * Records the reply to a refund.
   *
   * @param bands the bands that were refunded, as bits from the lowest
   * @param nowMicros the server's time
   */
  public void refunded(long id, long bands, long nowMicros) {
    lease(id).refunded(bands, nowMicros);
  }
}
