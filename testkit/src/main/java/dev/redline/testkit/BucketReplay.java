package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.History.Event;
import dev.redline.testkit.Observation.Verdict;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Replays what is known of one bucket, in the order of the server. */
final class BucketReplay {
  private final History history;
  private final RateLimitKey key;
  private final List<Observation> looks;
  private final List<Observation> unknown;
  private final List<Observation> recalled;
  private final List<Event> events;
  private final PastStates memory;
  private final PossibleHistories worlds = new PossibleHistories();
  private final List<Event> resets = new ArrayList<>();
  private final Set<BucketLimits> limits;
  private final boolean mixed;
  private List<ReferenceBand> bucket;
  private boolean fromAhead;
  private int position;
  private int nextUnknown;
  private int era;
  private long before;
  private long forgotten;

  BucketReplay(History history, RateLimitKey key, List<Observation> all) {
    this.history = history;
    this.key = key;
    this.looks = all.stream().filter(Observation::isByServer).sorted(serverOrder()).toList();
    this.unknown =
        all.stream()
            .filter(Observation::isUnknown)
            .filter(look -> look.cost() <= capacity(key.limits()))
            .sorted(Comparator.comparingLong(look -> look.call().invoked))
            .toList();
    this.recalled =
        all.stream()
            .filter(look -> look.verdict() == Verdict.RECALLED)
            .sorted(Comparator.comparingLong(look -> look.call().returned))
            .toList();
    this.events =
        new ArrayList<>(
            history.events().stream().filter(e -> e.concerned.test(key.limits())).toList());
    this.limits = all.stream().map(look -> look.key().limits()).collect(Collectors.toSet());
    this.mixed = limits.size() > 1;
    this.bucket = fresh();
    this.memory = new PastStates(looks);
    this.before = looks.isEmpty() ? 0 : start(all);
  }

  private static long capacity(BucketLimits limits) {
    return IntStream.range(0, limits.size())
        .mapToLong(b -> limits.band(b).capacity())
        .min()
        .orElseThrow();
  }

  /** Returns a moment of the server's clock before anything can have been taken. */
  private long start(List<Observation> all) {
    long first = all.stream().mapToLong(look -> look.call().invoked).min().orElseThrow();
    Observation look = looks.get(0);
    return look.now() - (look.call().returned - first) / 1000 - 1000;
  }

  /** Taking only adds, and who takes nothing leaves what it saw. */
  private static Comparator<Observation> serverOrder() {
    Comparator<Observation> bySight =
        (a, b) -> {
          for (int i = 0; i < a.seen().size(); i++) {
            int byBand = a.seen().get(i).first().compareTo(b.seen().get(i).first());
            if (byBand != 0) {
              return byBand;
            }
          }
          return 0;
        };
    return Comparator.comparingLong(Observation::now)
        .thenComparing(bySight)
        .thenComparing(Observation::takes)
        .thenComparing(look -> look.call().invoked);
  }

  private List<ReferenceBand> fresh() {
    BucketLimits limits = key.limits();
    return IntStream.range(0, limits.size())
        .mapToObj(b -> ReferenceBand.of(limits.band(b).band()))
        .toList();
  }

  private List<ReferenceBand> fresh(Observation look) {
    return look.under(fresh());
  }

  HistoryChecker.Report run() {
    for (position = 0; position < looks.size(); position++) {
      Observation look = looks.get(position);
      if (mixed) {
        bucket = look.under(bucket);
      }
      checkOrder(look);
      checkCapacity(look);
      learn(look);
      List<ReferenceBand> unwritten = bucket.stream().map(ReferenceBand::copy).toList();
      fromAhead = false;
      boolean lowered = meet(look);
      boolean isKnown = matches(look);
      adopt(look);
      checkVerdict(look);
      if (look.isDryRun() && (isKnown || fromAhead)) {
        bucket = unwritten;
        leave(look);
      }
      worlds.retire(look);
      take(look);
      memory.add(look, bucket, lowered, resets);
      resets.clear();
      before = look.now();
    }
    checkRecalled();
    return new HistoryChecker.Report(
        1,
        looks.size(),
        looks.stream().filter(look -> look.verdict() == Verdict.TAKEN).count(),
        recalled.size(),
        unknown.size(),
        nextUnknown - worlds.unknownLeft(),
        looks.stream().filter(look -> look.verdict() == Verdict.GIVEN_BACK).count(),
        forgotten);
  }

  private void checkRecalled() {
    long more = 0;
    int next = 0;
    for (Observation look : recalled) {
      while (next < unknown.size()
          && unknown.get(next).call().invoked - look.call().returned <= 0) {
        more += unknown.get(next++).cost();
      }
      if (!memory.refuses(look, more, events)) {
        throw new AssertionError(
            about(look) + " was refused from memory, though the bucket would have admitted it");
      }
    }
  }

  private void checkOrder(Observation look) {
    for (int p = position - 1; p >= 0 && looks.get(p).now() == look.now(); p--) {
      Observation earlier = looks.get(p);
      boolean sameCall = earlier.call().node.equals(look.call().node);
      if (sameCall && look.call().submitted - earlier.call().invoked < 0) {
        throw new AssertionError(
            about(look) + " was decided after " + earlier.call() + ", which was asked for later");
      }
    }
    if (memory.latestInvoked() - look.call().returned > 0) {
      throw new AssertionError(
          about(look) + " was answered before another was asked that the server decided earlier");
    }
  }

  private void checkCapacity(Observation look) {
    for (int b = 0; b < bucket.size(); b++) {
      BigInteger most = BigInteger.ZERO;
      for (BucketLimits one : limits) {
        most = most.max(bucket.get(b).most(one.band(b).band()));
      }
      if (look.seen().get(b).first().compareTo(most) > 0) {
        throw new AssertionError(
            about(look) + ": expected to owe at most its capacity " + most + seen(look));
      }
    }
  }

  /** Learns what may have happened by the time of a look without anybody being told. */
  private void learn(Observation look) {
    while (nextUnknown < unknown.size()
        && unknown.get(nextUnknown).call().invoked - look.call().returned <= 0) {
      Observation take = unknown.get(nextUnknown++);
      worlds.add(
          new PossibleHistories.Unknown(
              take.cost(), eraOf(take), take.verdict() == Verdict.UNKNOWN_ACROSS_SLOTS));
    }
    int current = history.era(look.call().invoked);
    if (current > era) {
      era = current;
      worlds.settle(era);
    }
  }

  private int eraOf(Observation look) {
    return look.call().isOver() ? history.era(look.call().returned) : Integer.MAX_VALUE;
  }

  /** Finds out how the bucket came to what was seen; returns whether it may be fuller by it. */
  private boolean meet(Observation look) {
    for (Event event : List.copyOf(events)) {
      if (event.kind == Event.Kind.RESET && event.overBefore(look)) {
        events.remove(event);
        resets.add(event);
        bucket = fresh(look);
      }
    }
    bucket.forEach(band -> band.meet(look.now()));
    if (explained(look)) {
      boolean gaveBack = !matches(look) && worlds.gaveBack();
      events.removeIf(event -> event.overBefore(look));
      return gaveBack || !resets.isEmpty();
    }
    String expected = expected(look);
    for (Event event : List.copyOf(events)) {
      if (event.mayPrecede(look) && isPossibleAfter(event, look)) {
        events.remove(event);
        return true;
      }
    }
    throw new AssertionError(
        about(look) + ": expected " + expected + seen(look) + " (" + worlds + ")");
  }

  private boolean matches(Observation look) {
    for (int b = 0; b < bucket.size(); b++) {
      if (!bucket.get(b).sight(look.now()).equals(look.seen().get(b))) {
        return false;
      }
    }
    return true;
  }

  private boolean explained(Observation look) {
    return matches(look) || worlds.explain(bucket, before, look);
  }

  private boolean isPossibleAfter(Event event, Observation look) {
    if (event.kind == Event.Kind.RESET) {
      List<ReferenceBand> old = bucket;
      bucket = fresh(look);
      boolean explained = explained(look);
      if (explained) {
        resets.add(event);
      } else {
        bucket = old;
      }
      return explained;
    }
    boolean possible = event.kind == Event.Kind.STEP || isLess(look);
    fromAhead = event.kind == Event.Kind.STEP && owesEverything(look);
    forgotten += possible ? 1 : 0;
    return possible;
  }

  private boolean owesEverything(Observation look) {
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand band = bucket.get(b);
      if (!look.seen().get(b).first().equals(band.price(band.capacity()))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether no band shows more than it can, had everything been done that may have. */
  private boolean isLess(Observation look) {
    long cost = worlds.unknownCost();
    for (int b = 0; b < bucket.size(); b++) {
      ReferenceBand band = bucket.get(b);
      BigInteger taken = cost == 0 ? BigInteger.ZERO : band.price(cost);
      BandState most =
          band.between(before, look.now(), taken, BandState.NOTHING, BandState.NOTHING).most();
      if (look.seen().get(b).first().compareTo(most.first()) > 0) {
        return false;
      }
    }
    return true;
  }

  /** Lets a state be as it was before a dry run, which writes nothing. */
  private void leave(Observation look) {
    if (fromAhead) {
      bucket.forEach(band -> band.adoptFromAhead(look.now()));
    }
  }

  private void adopt(Observation look) {
    for (int b = 0; b < bucket.size(); b++) {
      bucket.get(b).adopt(look.now(), look.seen().get(b));
    }
  }

  private void checkVerdict(Observation look) {
    boolean passes = bucket.stream().allMatch(band -> band.admits(look.now(), look.cost()));
    if (passes != look.passed()) {
      throw new AssertionError(
          about(look)
              + ": expected to be "
              + (passes ? "admitted, seen refused" : "refused, seen admitted")
              + seen(look));
    }
  }

  private void take(Observation look) {
    if (!look.takes()) {
      return;
    }
    if (look.verdict() == Verdict.GIVEN_BACK) {
      List<ReferenceBand> untaken = bucket.stream().map(ReferenceBand::copy).toList();
      worlds.add(new PossibleHistories.GiveBack(untaken, look.now(), look.cost(), false));
    }
    bucket.forEach(band -> band.take(look.now(), look.cost()));
  }

  private String about(Observation look) {
    return "bucket of "
        + key.limits().owner()
        + " for '"
        + key.identity()
        + "', look "
        + (position + 1)
        + " of "
        + looks.size()
        + " ("
        + look.call()
        + ", cost "
        + look.cost()
        + (look.now() == 0 ? "" : ", at " + look.now() + " µs")
        + ")";
  }

  private String expected(Observation look) {
    return bucket.stream()
        .map(band -> band.band + " owing " + band.sight(look.now()))
        .collect(Collectors.joining(", "));
  }

  private static String seen(Observation look) {
    return ", seen owing "
        + look.seen().stream().map(BandState::toString).collect(Collectors.joining(", "));
  }
}
