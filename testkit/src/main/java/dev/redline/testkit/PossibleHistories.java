package dev.redline.testkit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The changes of a bucket that no outcome shows: acquisitions of unknown outcome, and refunds. Each
 * {@link Hypothesis} is one assumption about which of them are still to come. When an observation
 * differs from the replayed bucket, only the hypotheses that explain it with a minimal set of
 * changes are kept.
 */
final class PossibleHistories {
  private static final int MAX_HYPOTHESES = 5_000;

  /** An acquisition of unknown outcome; equal ones are interchangeable. */
  record UnknownAcquisition(long cost, int epoch, boolean acrossSlots)
      implements Comparable<UnknownAcquisition> {
    @Override
    public int compareTo(UnknownAcquisition other) {
      int byCost = Long.compare(cost, other.cost);
      int byEpoch = byCost != 0 ? byCost : Integer.compare(epoch, other.epoch);
      return byEpoch != 0 ? byEpoch : Boolean.compare(acrossSlots, other.acrossSlots);
    }
  }

  /**
   * An acquisition that may be refunded.
   *
   * @param before the bucket just before the acquisition
   * @param acquiredAt the server's time of the acquisition
   * @param cost the cost
   * @param approximate whether the time of the acquisition is not known exactly
   */
  record PossibleRefund(
      List<ReferenceBand> before, long acquiredAt, long cost, boolean approximate) {
    List<BandState> max(long from, long to) {
      return before.stream()
          .map(band -> band.maxRefund(acquiredAt, cost, Math.max(from, acquiredAt), to))
          .toList();
    }

    List<BandState> min(long to) {
      return before.stream()
          .map(band -> approximate ? BandState.ZERO : band.minRefund(acquiredAt, cost, to, to))
          .toList();
    }

    boolean isWorthless(long from, long to) {
      return max(from, to).stream().allMatch(BandState.ZERO::equals);
    }
  }

  record Hypothesis(Map<UnknownAcquisition, Integer> unknowns, List<PossibleRefund> refunds) {}

  private Set<Hypothesis> hypotheses = Set.of(new Hypothesis(Map.of(), List.of()));

  private boolean usedRefund;

  void add(UnknownAcquisition acquisition) {
    change(
        hypothesis -> {
          Map<UnknownAcquisition, Integer> unknowns = new TreeMap<>(hypothesis.unknowns);
          unknowns.merge(acquisition, 1, Integer::sum);
          return new Hypothesis(unknowns, hypothesis.refunds);
        });
  }

  void add(PossibleRefund refunds) {
    change(
        hypothesis -> {
          List<PossibleRefund> all = new ArrayList<>(hypothesis.refunds);
          all.add(refunds);
          return new Hypothesis(hypothesis.unknowns, all);
        });
  }

  /**
   * Removes acquisitions that ended before the history was settled: they have no effect any more.
   */
  void settle(int epoch) {
    change(
        hypothesis -> {
          Map<UnknownAcquisition, Integer> unknowns = new TreeMap<>(hypothesis.unknowns);
          unknowns.keySet().removeIf(acquisition -> acquisition.epoch < epoch);
          return new Hypothesis(unknowns, hypothesis.refunds);
        });
  }

  /**
   * Removes refunds that would have no effect after an observation, since the bucket has refilled.
   * A denial does not wait for its refunds, so until then each may still arrive.
   */
  void removeExpiredRefunds(Observation observation) {
    if (hypotheses.stream().allMatch(hypothesis -> hypothesis.refunds.isEmpty())) {
      return;
    }
    change(
        hypothesis ->
            new Hypothesis(
                hypothesis.unknowns,
                hypothesis.refunds.stream()
                    .filter(refunds -> !refunds.isWorthless(observation.now(), observation.now()))
                    .toList()));
  }

  private void change(UnaryOperator<Hypothesis> change) {
    Set<Hypothesis> changed = new LinkedHashSet<>();
    hypotheses.forEach(hypothesis -> changed.add(change.apply(hypothesis)));
    hypotheses = changed;
  }

  /** Returns the largest total cost that acquisitions of unknown outcome can still have. */
  long unknownCost() {
    return hypotheses.stream().mapToLong(PossibleHistories::cost).max().orElse(0);
  }

  private static long cost(Hypothesis hypothesis) {
    return hypothesis.unknowns.entrySet().stream()
        .mapToLong(entry -> entry.getKey().cost * entry.getValue())
        .sum();
  }

  private static int unknowns(Hypothesis hypothesis) {
    return hypothesis.unknowns.values().stream().mapToInt(n -> n).sum();
  }

  /** Returns how many acquisitions of unknown outcome are not known to have happened. */
  long unresolved() {
    return hypotheses.stream().mapToLong(PossibleHistories::unknowns).max().orElse(0);
  }

  /** Returns whether the last explanation contains a refund. */
  boolean usedRefund() {
    return usedRefund;
  }

  /**
   * Explains an observation by changes that may have happened since {@code from}, and keeps the
   * hypotheses in which they did; returns false if nothing explains it.
   */
  boolean explain(List<ReferenceBand> bucket, long from, Observation observation) {
    Set<Hypothesis> explaining = new LinkedHashSet<>();
    boolean used = false;
    for (Hypothesis hypothesis : hypotheses) {
      ExplanationSearch found =
          new ExplanationSearch(bucket, from, observation, hypothesis.unknowns, hypothesis.refunds);
      for (ExplanationSearch.Choice choice : found.search()) {
        explaining.add(after(hypothesis, bucket, observation, choice));
        used |= !choice.refunds().isEmpty();
      }
    }
    if (explaining.size() > MAX_HYPOTHESES) {
      throw new AssertionError("too many unknown outcomes to find an explanation");
    }
    if (explaining.isEmpty()) {
      return false;
    }
    usedRefund = used;
    hypotheses = explaining;
    return true;
  }

  private static Hypothesis after(
      Hypothesis hypothesis,
      List<ReferenceBand> bucket,
      Observation observation,
      ExplanationSearch.Choice choice) {
    Map<UnknownAcquisition, Integer> left = new TreeMap<>(hypothesis.unknowns);
    List<PossibleRefund> refundsLeft = new ArrayList<>(hypothesis.refunds);
    refundsLeft.removeAll(choice.refunds());
    choice
        .acquired()
        .forEach(
            (acquisition, count) -> {
              left.merge(acquisition, -count, Integer::sum);
              for (int i = 0; acquisition.acrossSlots && i < count; i++) {
                refundsLeft.add(approximate(bucket, observation, acquisition));
              }
            });
    left.values().removeIf(count -> count == 0);
    return new Hypothesis(left, refundsLeft);
  }

  /** Returns the refund of an acquisition whose effect was observed, though its time is unknown. */
  private static PossibleRefund approximate(
      List<ReferenceBand> bucket, Observation observation, UnknownAcquisition acquisition) {
    List<ReferenceBand> before = new ArrayList<>();
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand copy = bucket.get(b).copy();
      BigInteger owed = observation.states().get(b).first().subtract(copy.debtOf(acquisition.cost));
      copy.setState(observation.now(), new BandState(owed, observation.states().get(b).second()));
      before.add(copy);
    }
    return new PossibleRefund(before, observation.now(), acquisition.cost, true);
  }

  @Override
  public String toString() {
    int acquisitionCount =
        hypotheses.stream().mapToInt(PossibleHistories::unknowns).max().orElse(0);
    int refundCount =
        hypotheses.stream().mapToInt(hypothesis -> hypothesis.refunds.size()).max().orElse(0);
    return acquisitionCount
        + " acquisitions of unknown outcome and "
        + refundCount
        + " refunds may have happened";
  }
}
