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
 * One observation of one bucket: the part of an outcome in a {@link History} that is about one key
 * of its acquisition.
 *
 * @param call the acquisition
 * @param key the bucket
 * @param cost the cost of the acquisition for this key
 * @param effect whether the acquisition changed the bucket
 * @param passed whether all bands of the bucket had enough tokens
 * @param now the server's time of the decision, in µs since the epoch; 0 if unknown
 * @param states the state of each band just before the decision; empty if unknown
 */
record Observation(
    History.Call call,
    RateLimitKey key,
    long cost,
    Effect effect,
    boolean passed,
    long now,
    List<BandState> states) {
  enum Effect {
    /** The cost was acquired. */
    ACQUIRED,
    /** The cost was acquired, another slot denied, and it may have been refunded. */
    REFUNDABLE,
    /** Tokens were refunded; the state is the one just before. */
    REFUND,
    /** Nothing was acquired: a denial, here or by another key, or a dry run. */
    NONE,
    /** A denial by the deny cache, without a call of the server. */
    FROM_DENY_CACHE,
    /** The call failed after it may have been sent: the cost may have been acquired. */
    UNKNOWN,
    /** As {@link #UNKNOWN}; if the cost was acquired, it may have been refunded. */
    UNKNOWN_ACROSS_SLOTS
  }

  boolean acquires() {
    return effect == Effect.ACQUIRED || effect == Effect.REFUNDABLE;
  }

  boolean refunds() {
    return effect == Effect.REFUND;
  }

  boolean isDryRun() {
    return call.acquisition.dryRun();
  }

  /** Returns a bucket in the same state with the limits of this observation. */
  List<ReferenceBand> withLimits(List<ReferenceBand> bucket) {
    List<ReferenceBand> underLimits = new ArrayList<>();
    for (int b = 0; b < bucket.size(); b++) {
      underLimits.add(bucket.get(b).withLimits(key.limits().band(b).band()));
    }
    return underLimits;
  }

  boolean isUnknown() {
    return effect == Effect.UNKNOWN || effect == Effect.UNKNOWN_ACROSS_SLOTS;
  }

  boolean isDecidedByServer() {
    return !isUnknown() && effect != Effect.FROM_DENY_CACHE;
  }

  /** Returns whether this call returned before the other one was invoked. */
  boolean endedBefore(Observation other) {
    return call.hasEnded() && call.returned - other.call.invoked < 0;
  }

  /** Returns the observations of a call, one for each key that was evaluated. */
  static List<Observation> of(History history, History.Call call) {
    Outcome outcome = call.outcome();
    return outcome == null ? ofUnknownOutcome(history, call) : ofOutcome(history, call, outcome);
  }

  private static List<Observation> ofUnknownOutcome(History history, History.Call call) {
    Acquisition acquisition = call.acquisition;
    if (acquisition.dryRun()) {
      return List.of();
    }
    boolean acrossSlots = false;
    for (int i = 1; i < acquisition.size(); i++) {
      acrossSlots |= !history.slot(acquisition.key(i)).equals(history.slot(acquisition.key(0)));
    }
    Effect effect = acrossSlots ? Effect.UNKNOWN_ACROSS_SLOTS : Effect.UNKNOWN;
    List<Observation> observations = new ArrayList<>();
    for (int i = 0; i < acquisition.size(); i++) {
      observations.add(
          new Observation(
              call, acquisition.key(i), acquisition.cost(i), effect, false, 0, List.of()));
    }
    return observations;
  }

  private static List<Observation> ofOutcome(History history, History.Call call, Outcome outcome) {
    Acquisition acquisition = call.acquisition;
    if (outcome.recalled() && outcome.allowed()) {
      // Spent from a lease, which is recorded by itself.
      return List.of();
    }
    Map<Object, Boolean> slotPasses = new HashMap<>();
    boolean allKeysPass = true;
    for (int i = 0; i < acquisition.size(); i++) {
      boolean denies = !outcome.passed(i) && !acquisition.shadow(i);
      allKeysPass &= !denies;
      slotPasses.merge(history.slot(acquisition.key(i)), !denies, Boolean::logicalAnd);
    }
    if (!outcome.recalled() && allKeysPass != outcome.allowed()) {
      throw new AssertionError(
          call
              + " was "
              + (allKeysPass ? "denied though all" : "allowed though not all")
              + " keys pass");
    }
    List<Observation> observations = new ArrayList<>();
    List<List<BandState>> states = states(acquisition, outcome);
    for (int i = 0; i < acquisition.size(); i++) {
      if (!outcome.seen(i)) {
        continue;
      }
      boolean slotPassed = slotPasses.getOrDefault(history.slot(acquisition.key(i)), false);
      Effect effect;
      if (outcome.recalled()) {
        effect = Effect.FROM_DENY_CACHE;
      } else if (acquisition.dryRun() || !outcome.passed(i) || !slotPassed) {
        effect = Effect.NONE;
      } else {
        effect = outcome.allowed() ? Effect.ACQUIRED : Effect.REFUNDABLE;
      }
      observations.add(
          new Observation(
              call,
              acquisition.key(i),
              acquisition.cost(i),
              effect,
              outcome.passed(i) && (outcome.leased(i) == 0 || admits(acquisition, outcome, i)),
              outcome.nowMicros(i),
              states.get(i)));
    }
    return observations;
  }

  /** Returns whether the bucket itself admits a key: a dry run also counts leased tokens. */
  private static boolean admits(Acquisition acquisition, Outcome outcome, int key) {
    BandCursor at = new BandCursor(acquisition);
    while (at.key() < key) {
      at.nextKey();
    }
    return at.bucket().admits(outcome.views(), at.view(), at.cost());
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
