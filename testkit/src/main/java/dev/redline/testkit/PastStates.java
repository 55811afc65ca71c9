package dev.redline.testkit;

import dev.redline.testkit.History.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * The states a bucket went through, to tell whether a refusal from memory was right at its time.
 *
 * <p>When that was by the server's clock is known only within bounds: every answer was given after
 * it was asked for and before it came back.
 */
final class PastStates {
  /** How long a store may decide from memory. */
  private static final long AUTHORITY_MICROS = 1_000_000;

  private record State(
      Observation look, List<ReferenceBand> bucket, boolean lowered, List<Event> resets) {}

  private final List<State> states = new ArrayList<>();
  private final boolean steady;
  private long leastOffset = Long.MIN_VALUE;
  private long mostOffset = Long.MAX_VALUE;
  private long latestInvoked = Long.MIN_VALUE;
  private boolean any;

  PastStates(List<Observation> looks) {
    for (Observation look : looks) {
      leastOffset = Math.max(leastOffset, look.now() * 1000 - look.call().returned);
      mostOffset = Math.min(mostOffset, look.now() * 1000 + 999 - look.call().invoked);
    }
    this.steady = leastOffset <= mostOffset;
  }

  /**
   * Adds a state.
   *
   * @param lowered whether the bucket had become fuller than time alone makes it
   * @param resets the resets that were seen to have happened by then
   */
  void add(Observation look, List<ReferenceBand> bucket, boolean lowered, List<Event> resets) {
    List<ReferenceBand> copy = bucket.stream().map(ReferenceBand::copy).toList();
    states.add(new State(look, copy, lowered, List.copyOf(resets)));
    latestInvoked = any ? Math.max(latestInvoked, look.call().invoked) : look.call().invoked;
    any = true;
  }

  /** Returns when the last of all looks so far was asked for. */
  long latestInvoked() {
    return any ? latestInvoked : Long.MIN_VALUE / 2;
  }

  /**
   * Returns whether the bucket, at some moment it may have been, refuses a look.
   *
   * @param more what may have been taken besides
   */
  boolean refuses(Observation look, long more, List<Event> pending) {
    for (Event event : pending) {
      if (event.kind == Event.Kind.RESET && event.overBefore(look)) {
        return false;
      }
    }
    boolean beforeLook = false;
    boolean lowered = false;
    int last = lastBy(look);
    for (int p = last; p >= 0; p--) {
      State state = states.get(p);
      if (look.isOverBefore(state.look)) {
        continue;
      }
      long moment = Math.max(earliest(look), state.look.now());
      boolean inForce =
          !beforeLook && (p == last || moment <= states.get(p + 1).look.now() || !steady);
      boolean remembered = lowered && moment - state.look.now() <= AUTHORITY_MICROS;
      if ((inForce || remembered) && refuses(state, look, moment, more)) {
        return true;
      }
      if (state.resets.stream().anyMatch(event -> event.overBefore(look))
          || moment - state.look.now() > AUTHORITY_MICROS) {
        return false;
      }
      lowered |= state.lowered;
      beforeLook |= state.look.isOverBefore(look);
      if (beforeLook && !lowered) {
        return false;
      }
    }
    return false;
  }

  /** Returns the last state that may have been when a look was answered. */
  private int lastBy(Observation look) {
    int from = 0;
    int to = states.size();
    if (!steady) {
      return to - 1;
    }
    long latest = Math.floorDiv(look.call().returned + mostOffset, 1000L) + 1;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (states.get(middle).look.now() <= latest) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from - 1;
  }

  private long earliest(Observation look) {
    return steady ? Math.floorDiv(look.call().invoked + leastOffset, 1000L) : Long.MIN_VALUE;
  }

  private static boolean refuses(State state, Observation look, long moment, long more) {
    return !look.under(state.bucket).stream()
        .allMatch(band -> band.admits(moment, look.cost() + more));
  }
}
