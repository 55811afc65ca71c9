package dev.redline.testkit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Searches for the changes between two observations of a bucket that explain the second one: all
 * minimal sets of unknown acquisitions and refunds. Breadth-first, so that smaller sets are found
 * first and their supersets are skipped.
 */
final class ExplanationSearch {
  private static final int MAX_CHOICES = 300_000;

  /** An explanation: how often each kind of acquisition happened, and the refunds that arrived. */
  record Choice(
      Map<PossibleHistories.UnknownAcquisition, Integer> acquired,
      List<PossibleHistories.PossibleRefund> refunds) {}

  private record Amounts(List<BandState> min, List<BandState> max) {}

  private final List<ReferenceBand> bucket;
  private final long from;
  private final Observation observation;
  private final List<PossibleHistories.UnknownAcquisition> acquisitions = new ArrayList<>();
  private final List<Amounts> amounts = new ArrayList<>();
  private final List<List<PossibleHistories.PossibleRefund>> refundGroups = new ArrayList<>();
  private final int[] limits;
  private int choices;

  ExplanationSearch(
      List<ReferenceBand> bucket,
      long from,
      Observation observation,
      Map<PossibleHistories.UnknownAcquisition, Integer> unknowns,
      List<PossibleHistories.PossibleRefund> refunds) {
    this.bucket = bucket;
    this.from = from;
    this.observation = observation;
    this.acquisitions.addAll(unknowns.keySet());
    Map<Amounts, List<PossibleHistories.PossibleRefund>> groups = new LinkedHashMap<>();
    for (PossibleHistories.PossibleRefund one : refunds) {
      if (!one.isWorthless(from, observation.now())) {
        Amounts group = new Amounts(one.min(observation.now()), one.max(from, observation.now()));
        groups.computeIfAbsent(group, same -> new ArrayList<>()).add(one);
      }
    }
    groups.forEach(
        (group, all) -> {
          amounts.add(group);
          refundGroups.add(all);
        });
    this.limits = new int[acquisitions.size() + refundGroups.size()];
    for (int i = 0; i < limits.length; i++) {
      limits[i] =
          i < acquisitions.size()
              ? unknowns.getOrDefault(acquisitions.get(i), 0)
              : refundGroups.get(i - acquisitions.size()).size();
    }
  }

  /** Returns all minimal explanations, the smallest first. */
  List<Choice> search() {
    List<int[]> found = new ArrayList<>();
    List<int[]> frontier = List.of(new int[limits.length]);
    while (!frontier.isEmpty()) {
      List<int[]> nextFrontier = new ArrayList<>();
      for (int[] counts : frontier) {
        for (int i = lastUsed(counts); i < limits.length; i++) {
          if (counts[i] < limits[i]) {
            int[] larger = counts.clone();
            larger[i]++;
            if (canExtend(larger, found)) {
              nextFrontier.add(larger);
            }
          }
        }
      }
      frontier = nextFrontier;
    }
    return found.stream().map(this::choice).toList();
  }

  private static int lastUsed(int[] counts) {
    for (int i = counts.length - 1; i > 0; i--) {
      if (counts[i] > 0) {
        return i;
      }
    }
    return 0;
  }

  /** Records a choice that is an explanation; returns whether a larger choice can be a new one. */
  private boolean canExtend(int[] counts, List<int[]> found) {
    if (++choices > MAX_CHOICES) {
      throw new AssertionError("too many unknown outcomes to find an explanation");
    }
    for (int[] smaller : found) {
      if (contains(counts, smaller)) {
        return false;
      }
    }
    if (explains(counts, counts, counts)) {
      found.add(counts);
      return false;
    }
    return canGrow(counts);
  }

  private static boolean contains(int[] counts, int[] smaller) {
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] < smaller[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean explains(int[] acquired, int[] minRefunds, int[] maxRefunds) {
    for (int b = 0; b < bucket.size(); b++) {
      if (!range(b, acquired, minRefunds, maxRefunds).contains(observation.states().get(b))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the observed debt is still reachable: not below the debt with all refunds, and
   * not above the debt with all acquisitions.
   */
  private boolean canGrow(int[] counts) {
    for (int b = 0; b < bucket.size(); b++) {
      BigInteger states = observation.states().get(b).first();
      boolean tooMuch = range(b, counts, counts, limits).min().first().compareTo(states) > 0;
      boolean tooLittle = range(b, limits, counts, counts).max().first().compareTo(states) < 0;
      if (tooMuch || tooLittle) {
        return false;
      }
    }
    return true;
  }

  private BandState.Range range(int b, int[] acquired, int[] minRefunds, int[] maxRefunds) {
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < acquisitions.size(); i++) {
      BigInteger debtOf = bucket.get(b).debtOf(acquisitions.get(i).cost());
      sum = sum.add(debtOf.multiply(BigInteger.valueOf(acquired[i])));
    }
    BandState min = BandState.ZERO;
    BandState max = BandState.ZERO;
    for (int i = acquisitions.size(); i < limits.length; i++) {
      Amounts group = amounts.get(i - acquisitions.size());
      min = min.plus(group.min.get(b).times(minRefunds[i]));
      max = max.plus(group.max.get(b).times(maxRefunds[i]));
    }
    return bucket.get(b).possibleStates(from, observation.now(), sum, min, max);
  }

  private Choice choice(int[] counts) {
    Map<PossibleHistories.UnknownAcquisition, Integer> acquired = new TreeMap<>();
    List<PossibleHistories.PossibleRefund> refunds = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (i < acquisitions.size() && counts[i] > 0) {
        acquired.put(acquisitions.get(i), counts[i]);
      } else if (i >= acquisitions.size()) {
        refunds.addAll(refundGroups.get(i - acquisitions.size()).subList(0, counts[i]));
      }
    }
    return new Choice(acquired, refunds);
  }
}
