package dev.redline.testkit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds what may have happened between two looks at a bucket that explains what the second saw:
 * every choice of takes and give-backs of which no part alone does.
 */
final class ExplanationSearch {
  private static final int MAX_CHOICES = 300_000;

  /** What happened: which takes how often, and what was given back. */
  record Choice(
      Map<PossibleHistories.Unknown, Integer> taken, List<PossibleHistories.GiveBack> back) {}

  private record Amounts(List<BandState> least, List<BandState> most) {}

  private final List<ReferenceBand> bucket;
  private final long from;
  private final Observation look;
  private final List<PossibleHistories.Unknown> takes = new ArrayList<>();
  private final List<Amounts> amounts = new ArrayList<>();
  private final List<List<PossibleHistories.GiveBack>> alike = new ArrayList<>();
  private final int[] limits;
  private int choices;

  ExplanationSearch(
      List<ReferenceBand> bucket,
      long from,
      Observation look,
      Map<PossibleHistories.Unknown, Integer> unknown,
      List<PossibleHistories.GiveBack> back) {
    this.bucket = bucket;
    this.from = from;
    this.look = look;
    this.takes.addAll(unknown.keySet());
    Map<Amounts, List<PossibleHistories.GiveBack>> groups = new LinkedHashMap<>();
    for (PossibleHistories.GiveBack one : back) {
      if (!one.isDead(from, look.now())) {
        Amounts group = new Amounts(one.least(look.now()), one.most(from, look.now()));
        groups.computeIfAbsent(group, same -> new ArrayList<>()).add(one);
      }
    }
    groups.forEach(
        (group, all) -> {
          amounts.add(group);
          alike.add(all);
        });
    this.limits = new int[takes.size() + alike.size()];
    for (int i = 0; i < limits.length; i++) {
      limits[i] =
          i < takes.size()
              ? unknown.getOrDefault(takes.get(i), 0)
              : alike.get(i - takes.size()).size();
    }
  }

  /** Returns all choices that explain it, the fewest things first. */
  List<Choice> search() {
    List<int[]> found = new ArrayList<>();
    List<int[]> open = List.of(new int[limits.length]);
    while (!open.isEmpty()) {
      List<int[]> larger = new ArrayList<>();
      for (int[] counts : open) {
        for (int i = lastUsed(counts); i < limits.length; i++) {
          if (counts[i] < limits[i]) {
            int[] next = counts.clone();
            next[i]++;
            if (isOpen(next, found)) {
              larger.add(next);
            }
          }
        }
      }
      open = larger;
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

  /** Notes a choice that explains it; returns whether a larger one may. */
  private boolean isOpen(int[] counts, List<int[]> found) {
    if (++choices > MAX_CHOICES) {
      throw new AssertionError("too many unknown outcomes to tell what happened");
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

  private boolean explains(int[] taken, int[] leastBack, int[] mostBack) {
    for (int b = 0; b < bucket.size(); b++) {
      if (!range(b, taken, leastBack, mostBack).contains(look.seen().get(b))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether it is not too much already with everything given back, nor the reverse. */
  private boolean canGrow(int[] counts) {
    for (int b = 0; b < bucket.size(); b++) {
      BigInteger seen = look.seen().get(b).first();
      boolean tooMuch = range(b, counts, counts, limits).least().first().compareTo(seen) > 0;
      boolean tooLittle = range(b, limits, counts, counts).most().first().compareTo(seen) < 0;
      if (tooMuch || tooLittle) {
        return false;
      }
    }
    return true;
  }

  private BandState.Range range(int b, int[] taken, int[] leastBack, int[] mostBack) {
    BigInteger sum = BigInteger.ZERO;
    for (int i = 0; i < takes.size(); i++) {
      BigInteger price = bucket.get(b).price(takes.get(i).cost());
      sum = sum.add(price.multiply(BigInteger.valueOf(taken[i])));
    }
    BandState least = BandState.NOTHING;
    BandState most = BandState.NOTHING;
    for (int i = takes.size(); i < limits.length; i++) {
      Amounts group = amounts.get(i - takes.size());
      least = least.plus(group.least.get(b).times(leastBack[i]));
      most = most.plus(group.most.get(b).times(mostBack[i]));
    }
    return bucket.get(b).between(from, look.now(), sum, least, most);
  }

  private Choice choice(int[] counts) {
    Map<PossibleHistories.Unknown, Integer> taken = new TreeMap<>();
    List<PossibleHistories.GiveBack> back = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (i < takes.size() && counts[i] > 0) {
        taken.put(takes.get(i), counts[i]);
      } else if (i >= takes.size()) {
        back.addAll(alike.get(i - takes.size()).subList(0, counts[i]));
      }
    }
    return new Choice(taken, back);
  }
}
