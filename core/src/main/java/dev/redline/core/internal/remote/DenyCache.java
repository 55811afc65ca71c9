package dev.redline.core.internal.remote;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The deny cache of a shared store: buckets as they were when they denied. While such a bucket
 * cannot have refilled, the same acquisition is denied without a call.
 *
 * <p>An entry holds the state of the bucket. Any cost is evaluated on it, at the latest time that
 * the store's clock can show. An entry decides for at most one second and is replaced by any later
 * reply; while the store fails, it denies until the advertised time. The number of entries is
 * bounded by {@link DenialTable}, whose operations cost the same however many there are.
 * Thread-safe.
 */
public final class DenyCache {
  private static final Pattern NOTICE = Pattern.compile("[0-9a-f]{1,16}");

  private final LongSupplier nanoClock;
  private final DenialTable denials;
  private final ToLongFunction<BucketLimits> generations;

  /**
   * Creates an empty cache.
   *
   * @param generations gives the generation of an owner of buckets; a reset starts a new one, and
   *     denials of an earlier one have no effect
   */
  public DenyCache(ToLongFunction<BucketLimits> generations) {
    this(generations, System::nanoTime);
  }

  /**
   * Creates an empty cache with a clock of its own, for simulations.
   *
   * @param nanoClock a clock like {@link System#nanoTime}
   */
  public DenyCache(ToLongFunction<BucketLimits> generations, LongSupplier nanoClock) {
    this.generations = generations;
    this.nanoClock = nanoClock;
    this.denials = new DenialTable(nanoClock);
  }

  /** Denies an acquisition without a call; returns false if the store has to be called. */
  public boolean deny(Acquisition acquisition, Outcome outcome) {
    return !acquisition.dryRun() && deny(acquisition, outcome, false);
  }

  /** Denies what was denied until its advertised time, while the store cannot be called. */
  public boolean denyWhileStoreFails(Acquisition acquisition, Outcome outcome) {
    return deny(acquisition, outcome, true);
  }

  private boolean deny(Acquisition acquisition, Outcome outcome, boolean storeFails) {
    if (denials.isUnused()) {
      return false;
    }
    long nanos = nanoClock.getAsLong();
    int longest = -1;
    CachedDenial denying = null;
    for (int i = 0; i < acquisition.size(); i++) {
      CachedDenial denial =
          acquisition.shadow(i) ? null : find(acquisition.key(i), nanos, storeFails);
      if (denial != null
          && (denying == null || denial.advertisedNanos - denying.advertisedNanos > 0)
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

  private @Nullable CachedDenial find(RateLimitKey key, long nanos, boolean storeFails) {
    CachedDenial denial = denials.find(key);
    return denial != null
            && nanos - (storeFails ? denial.advertisedNanos : denial.decidesUntilNanos) < 0
            && denial.generation == generations.applyAsLong(key.limits())
        ? denial
        : null;
  }

  /** Returns whether the bucket denies even if the store's clock is as late as it can be. */
  private static boolean denies(
      CachedDenial denial, Acquisition acquisition, int i, long nanos, Outcome scratch) {
    long latest = denial.storeMicros + (nanos - denial.sentNanos) / 1000 + 1;
    BucketLimits limits = acquisition.key(i).limits();
    scratch.reset(limits.size());
    limits.arithmetic().view(denial.state, 0, latest, scratch.views(), 0);
    return !limits.arithmetic().admits(scratch.views(), 0, acquisition.cost(i));
  }

  /**
   * Reports the key with the longest wait, at the earliest time that the store's clock can show:
   * the reported wait must not be too short. The state of the other keys is not known.
   */
  private static void report(
      Acquisition acquisition, int denied, CachedDenial denial, Outcome outcome, long nanos) {
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
   * Stores the denied keys of an outcome and removes the others.
   *
   * @param sentGenerations the generation that was sent for each key
   * @param sentNanos when the store was called, by the cache's clock
   * @param receivedNanos when its reply arrived
   */
  public void learn(
      Acquisition acquisition,
      IntToLongFunction sentGenerations,
      Outcome outcome,
      long sentNanos,
      long receivedNanos) {
    if (outcome.allowed() && denials.isUnused()) {
      return;
    }
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      int i = at.key();
      RateLimitKey key = acquisition.key(i);
      if (outcome.passed(i)) {
        denials.remove(key);
      } else if (at.cost() <= at.bucket().capacity()) {
        long[] state = new long[at.bucket().stateWords()];
        long now = outcome.nowMicros(i);
        at.bucket().take(state, 0, now, outcome.views(), at.view(), 0);
        long generation = sentGenerations.applyAsLong(i);
        denials.put(
            new CachedDenial(
                key, state, now, sentNanos, receivedNanos, waitNanos(at, outcome), generation));
      }
    }
  }

  private static long waitNanos(BandCursor at, Outcome outcome) {
    long micros = at.bucket().waitMicros(outcome.views(), at.view(), at.cost());
    return Math.min(micros, Long.MAX_VALUE / 4000) * 1000;
  }

  /** Removes the denials of a caller under all limits of an owner, also those still to arrive. */
  public void forget(RateLimitKey key) {
    denials.forget(DenialTable.hash(key));
  }

  /** Returns the name of a key in notices to other nodes: a hash, not the identity. */
  public static String notice(RateLimitKey key) {
    return Long.toHexString(DenialTable.hash(key));
  }

  /** Returns whether a text is a notice, which {@link #hash(String)} can read. */
  public static boolean isNotice(String text) {
    return NOTICE.matcher(text).matches();
  }

  /** Returns the hash of the key that a notice names. */
  public static long hash(String notice) {
    return Long.parseUnsignedLong(notice, 16);
  }

  /** Returns the hash of a key, which its notice names. */
  public static long hash(RateLimitKey key) {
    return DenialTable.hash(key);
  }

  /** Is {@link #forget(RateLimitKey)} of the key that a notice names; ignores malformed notices. */
  public void forget(String notice) {
    if (isNotice(notice)) {
      denials.forget(hash(notice));
    }
  }

  int size() {
    return denials.size();
  }
}
