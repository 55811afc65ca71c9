package dev.redline.core.internal.remote;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The deny cache of a store: buckets as they were when they denied, so that the same callers need
 * no call before they have a chance.
 *
 * <p>An entry holds the state of the bucket, and any cost is evaluated on it, at the latest time
 * that the store's clock can show. It decides for at most a second, is replaced by any later
 * outcome, and is remembered until the advertised time for when the store fails. At most {@value
 * #MAX_ENTRIES} entries; further denials are not remembered. Thread-safe.
 */
public final class DenialMemory {
  private static final int MAX_ENTRIES = 100_000;
  private static final long AUTHORITY_NANOS = 1_000_000_000L;
  private static final long SWEEP_NANOS = 100_000_000L;

  /** A bucket that denied; the store saw it between two local times. */
  private static final class Denial {
    private final long[] state;
    private final long storeMicros;
    private final long sentNanos;
    private final long receivedNanos;
    private final long waitNanos;
    private final long generation;

    Denial(
        long[] state,
        long storeMicros,
        long sentNanos,
        long receivedNanos,
        long waitNanos,
        long generation) {
      this.state = state;
      this.storeMicros = storeMicros;
      this.sentNanos = sentNanos;
      this.receivedNanos = receivedNanos;
      this.waitNanos = waitNanos;
      this.generation = generation;
    }

    private boolean isOver(long nanos, boolean deciding) {
      long limit = deciding ? Math.min(waitNanos, AUTHORITY_NANOS) : waitNanos;
      return nanos - receivedNanos >= limit;
    }
  }

  private final Map<RateLimitKey, Denial> denials = new ConcurrentHashMap<>();
  private final ResetGenerations generations;
  private volatile long forgottenNanos = System.nanoTime();
  private volatile long sweptNanos = System.nanoTime();

  /** Creates an empty memory, which obeys resets of owners. */
  public DenialMemory(ResetGenerations generations) {
    this.generations = generations;
  }

  /** Denies an acquisition without a call; returns false if the store has to be called. */
  public boolean deny(Acquisition acquisition, Outcome outcome) {
    return !acquisition.dryRun() && deny(acquisition, outcome, true);
  }

  /** Denies what was denied until its advertised time, while the store cannot be called. */
  public boolean denyRemembered(Acquisition acquisition, Outcome outcome) {
    return deny(acquisition, outcome, false);
  }

  private boolean deny(Acquisition acquisition, Outcome outcome, boolean deciding) {
    if (denials.isEmpty()) {
      return false;
    }
    long nanos = System.nanoTime();
    int longest = -1;
    Denial denying = null;
    for (int i = 0; i < acquisition.size(); i++) {
      Denial denial = acquisition.shadow(i) ? null : find(acquisition.key(i), nanos, deciding);
      if (denial != null
          && (denying == null || left(denial, nanos) > left(denying, nanos))
          && denies(denial, acquisition, i, nanos, outcome)) {
        longest = i;
        denying = denial;
      }
    }
    if (denying == null) {
      return false;
    }
    report(acquisition, longest, denying, outcome, nanos);
    return true;
  }

  private static long left(Denial denial, long nanos) {
    return denial.waitNanos - (nanos - denial.receivedNanos);
  }

  private @Nullable Denial find(RateLimitKey key, long nanos, boolean deciding) {
    Denial denial = denials.get(key);
    return denial != null
            && !denial.isOver(nanos, deciding)
            && denial.generation == generations.of(key.limits())
        ? denial
        : null;
  }

  /** Returns whether the bucket denies even if the store's clock is as late as it can be. */
  private static boolean denies(
      Denial denial, Acquisition acquisition, int i, long nanos, Outcome scratch) {
    long latest = denial.storeMicros + (nanos - denial.sentNanos) / 1000 + 1;
    BucketLimits limits = acquisition.key(i).limits();
    scratch.reset(limits.size());
    limits.arithmetic().view(denial.state, 0, latest, scratch.views(), 0);
    return !limits.arithmetic().admits(scratch.views(), 0, acquisition.cost(i));
  }

  /** Reports the denying key at the earliest time that the store's clock can show. */
  private static void report(
      Acquisition acquisition, int denied, Denial denial, Outcome outcome, long nanos) {
    outcome.reset(acquisition.bands());
    long earliest = denial.storeMicros + (nanos - denial.receivedNanos) / 1000;
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      if (at.key() == denied) {
        at.bucket().view(denial.state, 0, earliest, outcome.views(), at.view());
      } else {
        outcome.unseen(at.key());
      }
    }
    outcome.decide(false, earliest);
    outcome.recall();
  }

  /**
   * Learns from an outcome of the store: denied keys are remembered, others are forgotten.
   *
   * @param sentNanos when the store was called, by {@link System#nanoTime}
   * @param sentGenerations the generation that was sent for each key
   */
  public void learn(
      Acquisition acquisition, long[] sentGenerations, Outcome outcome, long sentNanos) {
    if (outcome.allowed() && denials.isEmpty()) {
      return;
    }
    long received = System.nanoTime();
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      RateLimitKey key = acquisition.key(at.key());
      if (outcome.passed(at.key())) {
        denials.remove(key);
      } else if (at.cost() <= at.bucket().capacity()) {
        put(key, denial(at, outcome, sentNanos, received, sentGenerations[at.key()]));
      }
    }
  }

  private static Denial denial(
      BandCursor at, Outcome outcome, long sent, long received, long generation) {
    long now = outcome.nowMicros(at.key());
    long[] state = new long[at.bucket().stateWords()];
    at.bucket().take(state, 0, now, outcome.views(), at.view(), 0);
    long waitMicros = at.bucket().waitMicros(outcome.views(), at.view(), at.cost());
    long waitNanos = Math.min(waitMicros, Long.MAX_VALUE / 4000) * 1000;
    return new Denial(state, now, sent, received, waitNanos, generation);
  }

  private void put(RateLimitKey key, Denial denial) {
    if (denials.size() >= MAX_ENTRIES && !makeRoom(denial.receivedNanos)) {
      return;
    }
    denials.put(key, denial);
    // A reset since the store was called writes its time first: one of the two sees the other.
    if (forgottenNanos - denial.sentNanos > 0) {
      denials.remove(key, denial);
    }
  }

  /** Removes what is over, not too often; returns whether there is room. */
  private boolean makeRoom(long nanos) {
    if (nanos - sweptNanos > SWEEP_NANOS) {
      sweptNanos = nanos;
      denials.values().removeIf(denial -> denial.isOver(nanos, false));
    }
    return denials.size() < MAX_ENTRIES;
  }

  /** Forgets a key, and every denial that the store is being called for. */
  public void forget(RateLimitKey key) {
    forgottenNanos = System.nanoTime();
    denials.remove(key);
  }

  int size() {
    return denials.size();
  }
}
