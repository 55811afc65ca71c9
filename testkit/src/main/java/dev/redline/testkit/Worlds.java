package dev.redline.testkit;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What may still happen to a bucket without anybody being told: takes of unknown outcome, and
 * give-backs. Each choice of what did happen is a world; all that explain what was seen are kept.
 */
final class Worlds {
  private static final int MAX_CHOICES = 200_000;
  private static final int MAX_WORLDS = 2_000;

  /** Takes of unknown outcome that cannot be told apart. */
  record Unknown(long cost, int era, boolean acrossSlots) implements Comparable<Unknown> {
    @Override
    public int compareTo(Unknown other) {
      int byCost = Long.compare(cost, other.cost);
      int byEra = byCost != 0 ? byCost : Integer.compare(era, other.era);
      return byEra != 0 ? byEra : Boolean.compare(acrossSlots, other.acrossSlots);
    }
  }

  /**
   * A take that may be given back.
   *
   * @param before the bucket just before it
   * @param taken when
   * @param cost how much
   * @param era how often everything had been settled when it was over
   * @param vague whether it is not known exactly when it was taken
   */
  record GiveBack(List<ReferenceBand> before, long taken, long cost, int era, boolean vague) {
    List<Sight> most(long from, long to) {
      return before.stream()
          .map(band -> band.returnable(taken, cost, Math.max(from, taken), to))
          .toList();
    }

    List<Sight> least(long to) {
      return before.stream()
          .map(band -> vague ? Sight.NOTHING : band.returnable(taken, cost, to, to))
          .toList();
    }
  }

  private record World(Map<Unknown, Integer> unknown, List<GiveBack> back) {}

  private record Amounts(List<Sight> least, List<Sight> most) {
    boolean isNothing() {
      return most.stream().allMatch(Sight.NOTHING::equals);
    }
  }

  /** One of several things that may have happened, and how often. */
  private record Possibility(long cost, Amounts back, int count) {}

  private Set<World> worlds = Set.of(new World(Map.of(), List.of()));
  private boolean gaveBack;

  void add(Unknown take) {
    change(
        world -> {
          Map<Unknown, Integer> unknown = new TreeMap<>(world.unknown);
          unknown.merge(take, 1, Integer::sum);
          return new World(unknown, world.back);
        });
  }

  void add(GiveBack back) {
    change(
        world -> {
          List<GiveBack> all = new ArrayList<>(world.back);
          all.add(back);
          return new World(world.unknown, all);
        });
  }

  /** Forgets what was over before everything was settled. */
  void settle(int era) {
    change(
        world -> {
          Map<Unknown, Integer> unknown = new TreeMap<>(world.unknown);
          unknown.keySet().removeIf(take -> take.era < era);
          return new World(unknown, world.back.stream().filter(back -> back.era >= era).toList());
        });
  }

  private void change(UnaryOperator<World> change) {
    Set<World> changed = new LinkedHashSet<>();
    worlds.forEach(world -> changed.add(change.apply(world)));
    worlds = changed;
  }

  boolean isEmpty() {
    return worlds.stream().allMatch(world -> world.unknown.isEmpty() && world.back.isEmpty());
  }

  /** Returns the most that takes of unknown outcome can still cost. */
  long unknownCost() {
    return worlds.stream().mapToLong(Worlds::cost).max().orElse(0);
  }

  private static long cost(World world) {
    return world.unknown.entrySet().stream()
        .mapToLong(entry -> entry.getKey().cost * entry.getValue())
        .sum();
  }

  /** Returns how many takes of unknown outcome are not known to have taken. */
  long unknownLeft() {
    return worlds.stream()
        .mapToLong(world -> world.unknown.values().stream().mapToInt(n -> n).sum())
        .max()
        .orElse(0);
  }

  /** Returns whether the last explanation had something given back. */
  boolean gaveBack() {
    return gaveBack;
  }

  /**
   * Explains what was seen by the fewest things that may have happened, and keeps the worlds in
   * which they did; returns false if nothing explains it.
   */
  boolean explain(List<ReferenceBand> bucket, long from, long to, List<Sight> seen, int era) {
    int size = worlds.stream().mapToInt(Worlds::size).max().orElse(0);
    for (int n = 1; n <= size; n++) {
      Set<World> explaining = new LinkedHashSet<>();
      gaveBack = false;
      for (World world : worlds) {
        new Search(world, bucket, from, to, seen, era, explaining).choose(n);
      }
      if (!explaining.isEmpty()) {
        if (explaining.size() > MAX_WORLDS) {
          throw new AssertionError("too many unknown outcomes to tell what happened");
        }
        worlds = explaining;
        return true;
      }
    }
    return false;
  }

  private static int size(World world) {
    return world.unknown.values().stream().mapToInt(n -> n).sum() + world.back.size();
  }

  /** Tries all choices of a given size in one world. */
  private final class Search {
    private final World world;
    private final List<ReferenceBand> bucket;
    private final long from;
    private final long to;
    private final List<Sight> seen;
    private final int era;
    private final Set<World> explaining;
    private final List<Possibility> possible = new ArrayList<>();
    private final List<Unknown> unknown = new ArrayList<>(); // of the first possibilities
    private final List<List<GiveBack>> back = new ArrayList<>(); // of the others
    private int choices;

    Search(
        World world,
        List<ReferenceBand> bucket,
        long from,
        long to,
        List<Sight> seen,
        int era,
        Set<World> explaining) {
      this.world = world;
      this.bucket = bucket;
      this.from = from;
      this.to = to;
      this.seen = seen;
      this.era = era;
      this.explaining = explaining;
      List<Sight> none = bucket.stream().map(band -> Sight.NOTHING).toList();
      world.unknown.forEach(
          (take, count) -> {
            unknown.add(take);
            possible.add(new Possibility(take.cost, new Amounts(none, none), count));
          });
      Map<Amounts, List<GiveBack>> alike = new LinkedHashMap<>();
      for (GiveBack one : world.back) {
        Amounts amounts = new Amounts(one.least(to), one.most(from, to));
        if (!amounts.isNothing()) {
          alike.computeIfAbsent(amounts, a -> new ArrayList<>()).add(one);
        }
      }
      alike.forEach(
          (amounts, all) -> {
            back.add(all);
            possible.add(new Possibility(0, amounts, all.size()));
          });
    }

    void choose(int n) {
      choose(0, n, new int[possible.size()]);
    }

    private void choose(int at, int left, int[] counts) {
      if (at == counts.length) {
        if (left == 0 && explains(counts)) {
          explaining.add(after(counts));
        }
        return;
      }
      int most = Math.min(left, possible.get(at).count);
      for (int c = at == counts.length - 1 ? left : 0; c <= most; c++) {
        counts[at] = c;
        choose(at + 1, left - c, counts);
      }
      counts[at] = 0;
    }

    private boolean explains(int[] counts) {
      if (++choices > MAX_CHOICES) {
        throw new AssertionError("too many unknown outcomes to tell what happened");
      }
      for (int b = 0; b < bucket.size(); b++) {
        BigInteger taken = BigInteger.ZERO;
        Sight least = Sight.NOTHING;
        Sight most = Sight.NOTHING;
        for (int p = 0; p < counts.length; p++) {
          Possibility one = possible.get(p);
          for (int c = 0; c < counts[p]; c++) {
            taken = one.cost == 0 ? taken : taken.add(bucket.get(b).price(one.cost));
            least = least.plus(one.back.least.get(b));
            most = most.plus(one.back.most.get(b));
          }
        }
        if (!bucket.get(b).between(from, to, taken, least, most).contains(seen.get(b))) {
          return false;
        }
      }
      return true;
    }

    private World after(int[] counts) {
      Map<Unknown, Integer> left = new TreeMap<>(world.unknown);
      List<GiveBack> backLeft = new ArrayList<>(world.back);
      for (int p = 0; p < counts.length; p++) {
        for (int c = 0; c < counts[p]; c++) {
          if (p < unknown.size()) {
            Unknown take = unknown.get(p);
            left.computeIfPresent(take, (same, count) -> count == 1 ? null : count - 1);
            if (take.acrossSlots) {
              backLeft.add(vague(take));
            }
          } else {
            backLeft.remove(back.get(p - unknown.size()).get(c));
            gaveBack = true;
          }
        }
      }
      return new World(left, backLeft);
    }

    /** Returns the give-back of an unknown take that is known by now to have taken. */
    private GiveBack vague(Unknown take) {
      List<ReferenceBand> before = new ArrayList<>();
      for (int b = 0; b < bucket.size(); b++) {
        ReferenceBand copy = bucket.get(b).copy();
        BigInteger owed = seen.get(b).first().subtract(copy.price(take.cost));
        copy.adopt(to, new Sight(owed, seen.get(b).second()));
        before.add(copy);
      }
      return new GiveBack(before, to, take.cost, Math.max(take.era, era), true);
    }
  }

  /** Returns how often each number of equal things occurs; for messages. */
  @Override
  public String toString() {
    Map<String, Integer> texts = new HashMap<>();
    worlds.forEach(
        world ->
            texts.merge(
                world.unknown.values().stream().mapToInt(n -> n).sum()
                    + " takes of unknown outcome and "
                    + world.back.size()
                    + " give-backs pending",
                1,
                Integer::sum));
    return String.join(" or ", texts.keySet());
  }
}
