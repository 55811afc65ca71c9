package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.Observation.Effect;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One lease of a {@link History}: what was taken, spent and refunded. Thread-safe. */
final class RecordedLease {
  /** One spend, decided at a local time. */
  record Spend(long nanos, long cost) {}

  /** A refund; without a reply its bands and time are 0. */
  record LeaseRefund(History.Call call, long tokens, long bands, long nowMicros) {}

  private final History.Call call;
  private final long portion;
  private final int portions;
  private final Queue<Spend> spends = new ConcurrentLinkedQueue<>();
  private volatile int passed;
  private volatile long sentNanos;
  private volatile @Nullable LeaseRefund refund;

  RecordedLease(History.Call call, long portion, int portions) {
    this.call = call;
    this.portion = portion;
    this.portions = portions;
  }

  void replied(int passedPortions, Outcome outcome, long sent) {
    if (call.hasEnded()) {
      return;
    }
    passed = passedPortions;
    sentNanos = sent;
    call.decided(outcome);
  }

  void failed() {
    call.failed(new IllegalStateException("no reply in time"));
  }

  void spent(long cost, long nanos) {
    spends.add(new Spend(nanos, cost));
  }

  void restored(long cost, long nanos) {
    spends.remove(new Spend(nanos, cost));
  }

  void refunding(History.Call refundCall, long tokens) {
    refund = new LeaseRefund(refundCall, tokens, 0, 0);
  }

  void refunded(long bands, long nowMicros) {
    LeaseRefund open = refund;
    if (open != null) {
      open.call.failed(new IllegalStateException("a refund has no outcome"));
      refund = new LeaseRefund(open.call, open.tokens, bands, nowMicros);
    }
  }

  RateLimitKey key() {
    return call.acquisition.key(0);
  }

  History.Call call() {
    return call;
  }

  /** Returns the outcome of the request; null without a reply in time. */
  @Nullable Outcome outcome() {
    return call.outcome();
  }

  long sentNanos() {
    return sentNanos;
  }

  long tokens() {
    return passed * portion;
  }

  @Nullable LeaseRefund refund() {
    return refund;
  }

  /** Returns the spends in the order of their times. */
  List<Spend> spends() {
    List<Spend> all = new ArrayList<>(spends);
    all.sort((a, b) -> Long.compare(a.nanos - sentNanos, b.nanos - sentNanos));
    return all;
  }

  /** Returns the server's time of a spend: at least that much has passed since the reply's. */
  long micros(Spend spend, Outcome outcome) {
    return outcome.nowMicros() + Math.max(0, spend.nanos - sentNanos) / 1000;
  }

  private List<BandState> states(Outcome outcome, long taken) {
    BucketLimits limits = key().limits();
    long[] views = outcome.views().clone();
    limits.arithmetic().advance(views, 0, taken);
    List<BandState> states = new ArrayList<>();
    for (int b = 0; b < limits.size(); b++) {
      states.add(BandState.of(limits.band(b).band(), views, 3 * b));
    }
    return states;
  }

  /** Returns the state of each band just after the tokens were taken. */
  List<BandState> statesAfter(Outcome outcome) {
    return states(outcome, tokens());
  }

  /**
   * Returns the bucket as if only spent tokens had been taken, at the time of the lease: what is
   * left of it after a refund.
   */
  List<ReferenceBand> bucketWithoutRefund(Outcome outcome, LeaseRefund refunded) {
    List<ReferenceBand> bucket = new ArrayList<>();
    List<BandState> after = states(outcome, tokens() - refunded.tokens);
    for (int b = 0; b < after.size(); b++) {
      ReferenceBand band = ReferenceBand.of(key().limits().band(b).band());
      band.setState(outcome.nowMicros(), after.get(b));
      bucket.add(band);
    }
    return bucket;
  }

  /** Returns what the lease was for the bucket: ordinary acquisitions, and a refund. */
  List<Observation> observations() {
    Outcome outcome = call.outcome();
    if (outcome == null) {
      Observation unknown =
          new Observation(call, key(), portion, Effect.UNKNOWN, false, 0, List.of());
      return Collections.nCopies(portions, unknown);
    }
    List<Observation> observations = new ArrayList<>();
    long now = outcome.nowMicros();
    if (passed > 0) {
      observations.add(
          new Observation(call, key(), tokens(), Effect.ACQUIRED, true, now, states(outcome, 0)));
    }
    if (passed < portions) {
      observations.add(
          new Observation(call, key(), portion, Effect.NONE, false, now, statesAfter(outcome)));
    }
    LeaseRefund refunded = refund;
    if (refunded != null && refunded.bands > 0) {
      observations.add(
          new Observation(
              refunded.call,
              key(),
              refunded.tokens,
              Effect.REFUND,
              true,
              refunded.nowMicros,
              statesAt(outcome, refunded.nowMicros)));
    }
    return observations;
  }

  /** Returns whether an observation is the refund of this lease. */
  boolean isRefundedBy(Observation observation) {
    LeaseRefund refunded = refund;
    return refunded != null && refunded.call == observation.call();
  }

  /** Returns whether the refunded token buckets are as the lease left them. */
  boolean mayBeRefundedTo(List<ReferenceBand> bucket, Observation observation) {
    for (int b = 0; b < bucket.size(); b++) {
      if (isRefunded(b)
          && !(bucket.get(b) instanceof ReferenceWindow)
          && !bucket.get(b).state(observation.now()).equals(observation.states().get(b))) {
        return false;
      }
    }
    return true;
  }

  /** Refunds the bands that the server refunded. */
  void refundTo(List<ReferenceBand> bucket, Observation observation) {
    Outcome outcome = Objects.requireNonNull(call.outcome());
    for (int b = 0; b < bucket.size(); b++) {
      if (isRefunded(b)) {
        bucket.get(b).refund(observation.now(), outcome.nowMicros(), observation.cost());
      }
    }
  }

  private boolean isRefunded(int band) {
    LeaseRefund refunded = refund;
    return refunded != null && (refunded.bands >> band & 1) != 0;
  }

  /** Returns the state of each band at a later time, if nothing else was acquired. */
  private List<BandState> statesAt(Outcome outcome, long micros) {
    List<BandState> states = new ArrayList<>();
    List<BandState> after = statesAfter(outcome);
    for (int b = 0; b < after.size(); b++) {
      ReferenceBand band = ReferenceBand.of(key().limits().band(b).band());
      band.setState(outcome.nowMicros(), after.get(b));
      states.add(band.state(micros));
    }
    return states;
  }

  @Override
  public String toString() {
    return "lease of "
        + key().limits().owner()
        + " for '"
        + key().identity()
        + "' by "
        + call
        + " of "
        + tokens()
        + " tokens";
  }
}
