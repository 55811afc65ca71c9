package dev.redline.testkit;

import dev.redline.core.store.Outcome;
import dev.redline.testkit.PossibleHistories.PossibleRefund;
import dev.redline.testkit.RecordedLease.LeaseRefund;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Refunds of leases to which no reply is known: each may have happened after it was sent. */
final class UnansweredRefunds {
  private record Sent(long invoked, PossibleRefund refund) {}

  private final List<Sent> sent = new ArrayList<>();
  private int next;

  UnansweredRefunds(List<RecordedLease> leases) {
    for (RecordedLease lease : leases) {
      LeaseRefund refund = lease.refund();
      Outcome outcome = lease.outcome();
      if (refund != null && outcome != null && refund.nowMicros() == 0) {
        PossibleRefund possible =
            new PossibleRefund(
                lease.bucketWithoutRefund(outcome, refund),
                outcome.nowMicros(),
                refund.tokens(),
                false);
        sent.add(new Sent(refund.call().invoked, possible));
      }
    }
    sent.sort(Comparator.comparingLong(Sent::invoked));
  }

  /** Adds the refunds that may have happened before an observation. */
  void addTo(PossibleHistories hypotheses, Observation observation) {
    while (next < sent.size() && sent.get(next).invoked - observation.call().returned <= 0) {
      hypotheses.add(sent.get(next++).refund);
    }
  }
}
