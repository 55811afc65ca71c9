package dev.redline.testkit;

import dev.redline.testkit.History.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * The past states of a bucket, to check whether a denial from the deny cache was right at its time.
 *
 * <p>The server's time of such a denial is known only within bounds. They follow from the other
 * calls: the server decided each after it was invoked and before it returned, which bounds the
 * offset between the server's clock and {@link System#nanoTime}.
 */
final class PastStates {
  /** How long a deny cache may use an entry. */
  private static final long DENY_CACHE_MICROS = 1_000_000;

  private record State(
      Observation observation,
      List<ReferenceBand> bucket,
      boolean gainedTokens,
      List<Event> resets) {}

  private final List<State> states = new ArrayList<>();
  private final boolean clockIsSteady;
  private long minOffset = Long.MIN_VALUE;
  private long maxOffset = Long.MAX_VALUE;
  private long latestInvoked = Long.MIN_VALUE;
  private boolean hasStates;

  PastStates(List<Observation> observations) {
    for (Observation observation : observations) {
      minOffset = Math.max(minOffset, observation.now() * 1000 - observation.call().returned);
      maxOffset = Math.min(maxOffset, observation.now() * 1000 + 999 - observation.call().invoked);
    }
    this.clockIsSteady = minOffset <= maxOffset;
  }

  /**
   * Adds a state.
   *
   * @param gainedTokens whether the bucket gained tokens other than by refill
   * @param resets the resets that had happened by then
   */
  void add(
      Observation observation,
      List<ReferenceBand> bucket,
      boolean gainedTokens,
      List<Event> resets) {
    List<ReferenceBand> copy = bucket.stream().map(ReferenceBand::copy).toList();
    states.add(new State(observation, copy, gainedTokens, List.copyOf(resets)));
    latestInvoked =
        hasStates
            ? Math.max(latestInvoked, observation.call().invoked)
            : observation.call().invoked;
    hasStates = true;
  }

  /** Returns the latest time at which one of the calls so far was invoked. */
  long latestInvoked() {
    return hasStates ? latestInvoked : Long.MIN_VALUE / 2;
  }

  /**
   * Returns whether the bucket denies an acquisition at some time at which it may have been
   * decided.
   *
   * @param extraCost the cost of acquisitions that may have happened besides
   * @param pending the events that were not applied to a state
   */
  boolean mayDeny(Observation observation, long extraCost, List<Event> pending) {
    for (Event event : pending) {
      if (event.kind == Event.Kind.RESET && event.endedBefore(observation)) {
        return false;
      }
    }
    boolean endedBeforeObservation = false;
    boolean gainedTokens = false;
    int last = lastStateBefore(observation);
    for (int p = last; p >= 0; p--) {
      State state = states.get(p);
      if (observation.endedBefore(state.observation)) {
        continue;
      }
      long moment = Math.max(earliest(observation), state.observation.now());
      boolean inForce =
          !endedBeforeObservation
              && (p == last || moment <= states.get(p + 1).observation.now() || !clockIsSteady);
      boolean cached = gainedTokens && moment - state.observation.now() <= DENY_CACHE_MICROS;
      if ((inForce || cached) && mayDeny(state, observation, moment, extraCost)) {
        return true;
      }
      if (state.resets.stream().anyMatch(event -> event.endedBefore(observation))
          || moment - state.observation.now() > DENY_CACHE_MICROS) {
        return false;
      }
      gainedTokens |= state.gainedTokens;
      endedBeforeObservation |= state.observation.endedBefore(observation);
      if (endedBeforeObservation && !gainedTokens) {
        return false;
      }
    }
    return false;
  }

  /** Returns the index of the last state that may have been current when a call returned. */
  private int lastStateBefore(Observation observation) {
    int from = 0;
    int to = states.size();
    if (!clockIsSteady) {
      return to - 1;
    }
    long latest = Math.floorDiv(observation.call().returned + maxOffset, 1000L) + 1;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (states.get(middle).observation.now() <= latest) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from - 1;
  }

  private long earliest(Observation observation) {
    return clockIsSteady
        ? Math.floorDiv(observation.call().invoked + minOffset, 1000L)
        : Long.MIN_VALUE;
  }

  private static boolean mayDeny(
      State state, Observation observation, long moment, long extraCost) {
    return !observation.withLimits(state.bucket).stream()
        .allMatch(band -> band.allows(moment, observation.cost() + extraCost));
  }
}
