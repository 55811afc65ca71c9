package dev.redline.testkit;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Outcome;
import dev.redline.testkit.History.Event;
import dev.redline.testkit.RecordedLease.LeaseRefund;
import dev.redline.testkit.RecordedLease.Spend;
import java.math.BigInteger;
import java.util.List;

/**
 * Checks one lease by itself: a spend uses a token that was taken, that was not refunded, and that
 * refill had not replaced; none after the bucket was reset.
 *
 * <p>A token is replaced at the latest at the time when the bucket, as the lease left it, would be
 * full but for the tokens after it. Server times are upper bounds: the time of the reply, and what
 * has passed since the request was sent.
 */
final class LeaseCheck {
  private static final BigInteger THOUSAND = BigInteger.valueOf(1000);

  private final RecordedLease lease;
  private final List<Event> events;

  LeaseCheck(RecordedLease lease, List<Event> events) {
    this.lease = lease;
    this.events = events;
  }

  void run() {
    List<Spend> spends = lease.spends();
    if (spends.isEmpty()) {
      return;
    }
    Outcome outcome = lease.outcome();
    if (outcome == null) {
      throw new AssertionError(lease + ": tokens were spent without a reply in time");
    }
    long spent = spends.stream().mapToLong(Spend::cost).sum();
    LeaseRefund refund = lease.refund();
    long refunded = refund == null ? 0 : refund.tokens();
    if (spent + refunded > lease.tokens()) {
      throw new AssertionError(
          lease + ": " + spent + " tokens were spent and " + refunded + " refunded");
    }
    checkResets(spends);
    List<BandState> after = lease.statesAfter(outcome);
    for (int b = 0; b < after.size(); b++) {
      checkBand(lease.key().limits().band(b).band(), after.get(b), outcome.nowMicros(), spends);
    }
  }

  private void checkResets(List<Spend> spends) {
    Spend last = spends.get(spends.size() - 1);
    for (Event event : events) {
      if (event.kind == Event.Kind.RESET
          && event.concerned.test(lease.key().limits())
          && lease.call().returned - event.begin < 0
          && event.hasEndedBefore(last.nanos())) {
        throw new AssertionError(lease + ": tokens were spent after the bucket was reset");
      }
    }
  }

  /** Checks that the tokens from each spend on were not replaced yet at its time. */
  private void checkBand(RateLimitBand band, BandState after, long nowMicros, List<Spend> spends) {
    long left = spends.stream().mapToLong(Spend::cost).sum();
    for (Spend spend : spends) {
      BigInteger elapsed = BigInteger.valueOf(Math.max(0, spend.nanos() - lease.sentNanos()));
      if (!isAlive(band, after, nowMicros, elapsed, left)) {
        throw new AssertionError(
            lease
                + ": "
                + left
                + " tokens were spent "
                + elapsed
                + " ns after the request or later, when refill of "
                + band
                + " had replaced some of them");
      }
      left -= spend.cost();
    }
  }

  private static boolean isAlive(
      RateLimitBand band, BandState after, long nowMicros, BigInteger elapsedNanos, long tokens) {
    BigInteger period = BigInteger.valueOf(band.periodMicros());
    if (band.algorithm() != RateLimitBand.Algorithm.TOKEN_BUCKET) {
      BigInteger begin = BigInteger.valueOf(Math.floorMod(nowMicros, band.periodMicros()));
      return begin.multiply(THOUSAND).add(elapsedNanos).compareTo(period.multiply(THOUSAND)) < 0;
    }
    BigInteger refilled = elapsedNanos.multiply(BigInteger.valueOf(band.refillTokens()));
    BigInteger alive = after.first().multiply(THOUSAND).subtract(refilled);
    return BigInteger.valueOf(tokens).multiply(period).multiply(THOUSAND).compareTo(alive) <= 0;
  }
}
