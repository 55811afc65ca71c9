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
 * What may still happen to a bucket without anybody being told: takes of unknown outcome, and
 * give-backs. Each choice of what did happen is a world; those that explain what was seen by no
 * more than it takes are kept.
 */
final class PossibleHistories {
  private static final int MAX_WORLDS = 5_000;

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
   * @param taken when, by the server's clock
   * @param cost how much
   * @param vague whether it is not known exactly when it was taken
   */
  record GiveBack(List<ReferenceBand> before, long taken, long cost, boolean vague) {
    List<BandState> most(long from, long to) {
      return before.stream()
          .map(band -> band.returnable(taken, cost, Math.max(from, taken), to))
          .toList();
    }

    List<BandState> least(long to) {
      return before.stream()
          .map(band -> vague ? BandState.NOTHING : band.surelyReturnable(taken, cost, to, to))
          .toList();
    }

    boolean isDead(long from, long to) {
      return most(from, to).stream().allMatch(BandState.NOTHING::equals);
    }
  }

  record World(Map<Unknown, Integer> unknown, List<GiveBack> back) {}

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
          return new World(unknown, world.back);
        });
  }

  /**
   * Forgets refunds that have nothing left to give at the time of a look. A denial does not wait
   * for its refunds, so until then each may still arrive.
   */
  void retire(Observation look) {
    if (worlds.stream().allMatch(world -> world.back.isEmpty())) {
      return;
    }
    change(
        world ->
            new World(
                world.unknown,
                world.back.stream().filter(back -> !back.isDead(look.now(), look.now())).toList()));
  }

  private void change(UnaryOperator<World> change) {
    Set<World> changed = new LinkedHashSet<>();
    worlds.forEach(world -> changed.add(change.apply(world)));
    worlds = changed;
  }

  /** Returns the most that takes of unknown outcome can still cost. */
  long unknownCost() {
    return worlds.stream().mapToLong(PossibleHistories::cost).max().orElse(0);
  }

  private static long cost(World world) {
    return world.unknown.entrySet().stream()
        .mapToLong(entry -> entry.getKey().cost * entry.getValue())
        .sum();
  }

  private static int unknown(World world) {
    return world.unknown.values().stream().mapToInt(n -> n).sum();
  }

  /** Returns how many takes of unknown outcome are not known to have taken. */
  long unknownLeft() {
    return worlds.stream().mapToLong(PossibleHistories::unknown).max().orElse(0);
  }

  /** Returns whether the last explanation had something given back. */
  boolean gaveBack() {
    return gaveBack;
  }

  /**
   * Explains what a look saw by things that may have happened since {@code from}, and keeps the
   * worlds in which they did; returns false if nothing explains it.
   */
  boolean explain(List<ReferenceBand> bucket, long from, Observation look) {
    Set<World> explaining = new LinkedHashSet<>();
    boolean used = false;
    for (World world : worlds) {
      ExplanationSearch found =
          new ExplanationSearch(bucket, from, look, world.unknown, world.back);
      for (ExplanationSearch.Choice choice : found.search()) {
        explaining.add(after(world, bucket, look, choice));
        used |= !choice.back().isEmpty();
      }
    }
    if (explaining.size() > MAX_WORLDS) {
      throw new AssertionError("too many unknown outcomes to tell what happened");
    }
    if (explaining.isEmpty()) {
      return false;
    }
    gaveBack = used;
    worlds = explaining;
    return true;
  }

  private static World after(
      World world, List<ReferenceBand> bucket, Observation look, ExplanationSearch.Choice choice) {
    Map<Unknown, Integer> left = new TreeMap<>(world.unknown);
    List<GiveBack> backLeft = new ArrayList<>(world.back);
    backLeft.removeAll(choice.back());
    choice
        .taken()
        .forEach(
            (take, count) -> {
              left.merge(take, -count, Integer::sum);
              for (int i = 0; take.acrossSlots && i < count; i++) {
                backLeft.add(vague(bucket, look, take));
              }
            });
    left.values().removeIf(count -> count == 0);
    return new World(left, backLeft);
  }

  /** Returns the give-back of an unknown take that is known by now to have taken. */
  private static GiveBack vague(List<ReferenceBand> bucket, Observation look, Unknown take) {
    List<ReferenceBand> before = new ArrayList<>();
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand copy = bucket.get(b).copy();
      BigInteger owed = look.seen().get(b).first().subtract(copy.price(take.cost));
      copy.adopt(look.now(), new BandState(owed, look.seen().get(b).second()));
      before.add(copy);
    }
    return new GiveBack(before, look.now(), take.cost, true);
  }

  @Override
  public String toString() {
    int takes = worlds.stream().mapToInt(PossibleHistories::unknown).max().orElse(0);
    int backs = worlds.stream().mapToInt(world -> world.back.size()).max().orElse(0);
    return takes + " takes of unknown outcome and " + backs + " give-backs may have happened";
  }
}
