package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What Redis denied lately, so that the same callers need no trip before they have a chance.
 *
 * <p>An entry holds the bucket's state as the denial saw it, not a verdict: any cost is evaluated
 * on it, at the latest time the server's clock can show. It decides for at most a second, is
 * replaced by any later reply, and is remembered until the advertised time. Bounded by its {@link
 * DenialTable}, whose operations cost the same however many denials there are.
 */
final class DenyCache {
  private static final Pattern NOTICE = Pattern.compile("[0-9a-f]{1,16}");

  private final DenialTable denials = new DenialTable();
  private final Generations generations;

  DenyCache(Generations generations) {
    this.generations = generations;
  }

  /** Denies an acquisition from memory, or returns false if it has to be asked for. */
  boolean refuse(Acquisition acquisition, Outcome outcome) {
    return !acquisition.dryRun() && refuse(acquisition, outcome, true);
  }

  /** Denies what is remembered as denied, while Redis cannot be asked. */
  boolean refuseRemembered(Acquisition acquisition, Outcome outcome) {
    return refuse(acquisition, outcome, false);
  }

  private boolean refuse(Acquisition acquisition, Outcome outcome, boolean deciding) {
    if (denials.isUnused()) {
      return false;
    }
    long nanos = System.nanoTime();
    int longest = -1;
    CachedDenial refusing = null;
    for (int i = 0; i < acquisition.size(); i++) {
      CachedDenial denial =
          acquisition.shadow(i) ? null : find(acquisition.key(i), nanos, deciding);
      if (denial != null
          && (refusing == null || denial.remembersUntilNanos - refusing.remembersUntilNanos > 0)
          && refuses(denial, acquisition, i, nanos, outcome)) {
        longest = i;
        refusing = denial;
      }
    }
    if (refusing == null) {
      return false;
    }
    report(acquisition, longest, refusing, outcome, nanos);
    return true;
  }

  private @Nullable CachedDenial find(RateLimitKey key, long nanos, boolean deciding) {
    CachedDenial denial = denials.find(key);
    return denial != null
            && nanos - (deciding ? denial.decidesUntilNanos : denial.remembersUntilNanos) < 0
            && denial.generation == generations.of(key.limits())
        ? denial
        : null;
  }

  /**
   * Returns whether the bucket refuses even if the server's clock is as late as it can be. The
   * outcome is scratch here.
   */
  private static boolean refuses(
      CachedDenial denial, Acquisition acquisition, int i, long nanos, Outcome outcome) {
    long latest = denial.serverMicros + (nanos - denial.sentNanos) / 1000 + 1;
    BucketLimits limits = acquisition.key(i).limits();
    outcome.reset(limits.size());
    return !passes(denial, limits, acquisition.cost(i), latest, outcome.views(), 0);
  }

  /** Views all bands of an entry at a moment, and returns whether they admit the cost. */
  private static boolean passes(
      CachedDenial denial, BucketLimits limits, long cost, long micros, long[] view, int from) {
    boolean passes = true;
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      BandArithmetic band = limits.band(b);
      int v = from + b * BandArithmetic.VIEW_WORDS;
      band.view(denial.state, s, micros, view, v);
      passes &= band.admits(view, v, cost);
      s += band.stateWords();
    }
    return passes;
  }

  /**
   * Tells of the key that makes the caller wait longest, at the earliest time the server's clock
   * can show: waits must hold. Of the other keys nothing is known now.
   */
  private static void report(
      Acquisition acquisition, int refused, CachedDenial denial, Outcome outcome, long nanos) {
    outcome.reset(acquisition.bands());
    long earliest = denial.serverMicros + (nanos - denial.receivedNanos) / 1000;
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      BucketLimits limits = acquisition.key(i).limits();
      if (i == refused) {
        passes(denial, limits, acquisition.cost(i), earliest, outcome.views(), v);
      } else {
        outcome.unseen(i);
      }
      v += limits.size() * BandArithmetic.VIEW_WORDS;
    }
    outcome.decide(false, earliest);
    outcome.recall();
  }

  /** Learns from a reply: denied keys are remembered, others are not denied any more. */
  void learn(PendingAcquisition ticket, Outcome outcome, long receivedNanos) {
    if (outcome.allowed() && denials.isUnused()) {
      return;
    }
    Acquisition acquisition = ticket.acquisition();
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      RateLimitKey key = acquisition.key(i);
      if (outcome.passed(i)) {
        denials.remove(key);
      } else if (acquisition.cost(i) <= capacity(key.limits())) {
        denials.put(denial(ticket, i, outcome, v, receivedNanos));
      }
      v += key.limits().size() * BandArithmetic.VIEW_WORDS;
    }
  }

  private static long capacity(BucketLimits limits) {
    long least = Long.MAX_VALUE;
    for (int b = 0; b < limits.size(); b++) {
      least = Math.min(least, limits.band(b).capacity());
    }
    return least;
  }

  private static CachedDenial denial(
      PendingAcquisition ticket, int i, Outcome outcome, int from, long nanos) {
    RateLimitKey key = ticket.acquisition().key(i);
    BucketLimits limits = key.limits();
    long cost = ticket.acquisition().cost(i);
    long[] state = new long[limits.stateWords()];
    long waitMicros = 0;
    int s = 0;
    for (int b = 0; b < limits.size(); b++) {
      BandArithmetic band = limits.band(b);
      int v = from + b * BandArithmetic.VIEW_WORDS;
      band.take(state, s, outcome.nowMicros(), outcome.views(), v, 0);
      waitMicros = Math.max(waitMicros, band.waitMicros(outcome.views(), v, cost));
      s += band.stateWords();
    }
    long waitNanos = Math.min(waitMicros, Long.MAX_VALUE / 4000) * 1000;
    return new CachedDenial(
        key,
        state,
        outcome.nowMicros(),
        ticket.sentNanos(),
        nanos,
        waitNanos,
        ticket.generation(i));
  }

  /** Forgets one key. */
  void forget(RateLimitKey key) {
    denials.remove(key);
  }

  /** Returns what names a key to other nodes: a hash, which does not tell who it is. */
  static String notice(RateLimitKey key) {
    return Long.toHexString(DenialTable.hash(key));
  }

  /** Forgets the key that a notice names, under all limits; ignores what is not a notice. */
  void forget(String notice) {
    if (NOTICE.matcher(notice).matches()) {
      denials.forget(Long.parseUnsignedLong(notice, 16));
    }
  }

  int size() {
    return denials.size();
  }
}
