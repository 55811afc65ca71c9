package dev.redline.testkit;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One look at one bucket: what one acquisition of a {@link History} tells of one of its keys.
 *
 * @param call the acquisition
 * @param key the bucket
 * @param cost what was asked for
 * @param verdict what came of it
 * @param passed whether all bands of the bucket had the cost
 * @param now when the server looked, in µs since the epoch; 0 where nobody knows
 * @param seen what it saw of each band; empty where nobody knows
 */
record Observation(
    History.Call call,
    RateLimitKey key,
    long cost,
    Verdict verdict,
    boolean passed,
    long now,
    List<BandState> seen) {
  enum Verdict {
    /** It passed and took. */
    TAKEN,
    /** It took, was refused in another slot, and may have been given back. */
    GIVEN_BACK,
    /** It took nothing: refused, here or elsewhere, or only asked. */
    LEFT,
    /** It was refused from memory, without asking the server. */
    RECALLED,
    /** It failed after it may have been sent: it may have taken. */
    UNKNOWN,
    /** As unknown, and what it took may have been given back. */
    UNKNOWN_ACROSS_SLOTS
  }

  boolean takes() {
    return verdict == Verdict.TAKEN || verdict == Verdict.GIVEN_BACK;
  }

  boolean isDryRun() {
    return call.acquisition.dryRun();
  }

  /** Returns a bucket in the same state that obeys the limits of this look. */
  List<ReferenceBand> under(List<ReferenceBand> bucket) {
    List<ReferenceBand> same = new ArrayList<>();
    for (int b = 0; b < bucket.size(); b++) {
      same.add(bucket.get(b).under(key.limits().band(b).band()));
    }
    return same;
  }

  boolean isUnknown() {
    return verdict == Verdict.UNKNOWN || verdict == Verdict.UNKNOWN_ACROSS_SLOTS;
  }

  boolean isByServer() {
    return !isUnknown() && verdict != Verdict.RECALLED;
  }

  /** Returns whether it was answered before the other one was asked. */
  boolean isOverBefore(Observation other) {
    return call.isOver() && call.returned - other.call.invoked < 0;
  }

  /** Returns what a call tells of each of its keys. */
  static List<Observation> of(History history, History.Call call) {
    Outcome outcome = call.outcome();
    return outcome == null ? unknown(history, call) : decided(history, call, outcome);
  }

  private static List<Observation> unknown(History history, History.Call call) {
    Acquisition acquisition = call.acquisition;
    if (acquisition.dryRun()) {
      return List.of();
    }
    boolean across = false;
    for (int i = 1; i < acquisition.size(); i++) {
      across |= !history.slot(acquisition.key(i)).equals(history.slot(acquisition.key(0)));
    }
    Verdict verdict = across ? Verdict.UNKNOWN_ACROSS_SLOTS : Verdict.UNKNOWN;
    List<Observation> looks = new ArrayList<>();
    for (int i = 0; i < acquisition.size(); i++) {
      looks.add(
          new Observation(
              call, acquisition.key(i), acquisition.cost(i), verdict, false, 0, List.of()));
    }
    return looks;
  }

  private static List<Observation> decided(History history, History.Call call, Outcome outcome) {
    Acquisition acquisition = call.acquisition;
    Map<Object, Boolean> slots = new HashMap<>();
    boolean all = true;
    for (int i = 0; i < acquisition.size(); i++) {
      boolean refuses = !outcome.passed(i) && !acquisition.shadow(i);
      all &= !refuses;
      slots.merge(history.slot(acquisition.key(i)), !refuses, Boolean::logicalAnd);
    }
    if (!outcome.recalled() && all != outcome.allowed()) {
      throw new AssertionError(
          call + " was " + (all ? "refused though all" : "allowed though not all") + " keys pass");
    }
    List<Observation> looks = new ArrayList<>();
    List<List<BandState>> states = states(acquisition, outcome);
    for (int i = 0; i < acquisition.size(); i++) {
      if (!outcome.seen(i)) {
        continue;
      }
      boolean slotPassed = slots.getOrDefault(history.slot(acquisition.key(i)), false);
      Verdict verdict;
      if (outcome.recalled()) {
        verdict = Verdict.RECALLED;
      } else if (acquisition.dryRun() || !outcome.passed(i) || !slotPassed) {
        verdict = Verdict.LEFT;
      } else {
        verdict = outcome.allowed() ? Verdict.TAKEN : Verdict.GIVEN_BACK;
      }
      looks.add(
          new Observation(
              call,
              acquisition.key(i),
              acquisition.cost(i),
              verdict,
              outcome.passed(i),
              outcome.nowMicros(i),
              states.get(i)));
    }
    return looks;
  }

  /** Returns what was seen of each band of each key. */
  private static List<List<BandState>> states(Acquisition acquisition, Outcome outcome) {
    List<List<BandState>> states = new ArrayList<>();
    BandCursor at = new BandCursor(acquisition);
    while (at.nextBand()) {
      if (at.bandOfKey() == 0) {
        states.add(new ArrayList<>());
      }
      states.get(at.key()).add(BandState.of(at.band().band(), outcome.views(), at.view()));
    }
    return states;
  }
}
