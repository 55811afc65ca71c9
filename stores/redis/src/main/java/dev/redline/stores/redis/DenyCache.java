package dev.redline.stores.redis;

import dev.redline.core.key.IdentityDigest;
import dev.redline.core.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What Redis refused lately, so that the same callers need no trip before they have a chance.
 *
 * <p>An entry holds the bucket's state as the refusal saw it, not a verdict: any cost is evaluated
 * on it, at the latest time the server's clock can show. It decides for at most a second, is
 * replaced by any later reply, and is remembered until the advertised time. Bounded.
 */
final class DenyCache {
  private static final long AUTHORITY_NANOS = 1_000_000_000L;
  private static final int MAX_ENTRIES = 100_000;

  /** A refused bucket: its state, and between which moments the server saw it. */
  private static final class Denial {
    private final long[] state;
    private final long serverMicros;
    private final long sentNanos;
    private final long receivedNanos;
    private final long decidesUntilNanos;
    private final long remembersUntilNanos;
    private final long generation;

    Denial(
        long[] state,
        long serverMicros,
        long sentNanos,
        long receivedNanos,
        long waitNanos,
        long generation) {
      this.state = state;
      this.serverMicros = serverMicros;
      this.sentNanos = sentNanos;
      this.receivedNanos = receivedNanos;
      this.decidesUntilNanos = receivedNanos + Math.min(waitNanos, AUTHORITY_NANOS);
      this.remembersUntilNanos = receivedNanos + waitNanos;
      this.generation = generation;
    }
  }

  private final Map<RateLimitKey, Denial> denials = new ConcurrentHashMap<>();
  private final Generations generations;

  DenyCache(Generations generations) {
    this.generations = generations;
  }

  /** Refuses an acquisition from memory, or returns null if it has to be asked for. */
  @Nullable Outcome refusal(Acquisition acquisition) {
    if (denials.isEmpty()) {
      return null;
    }
    Outcome outcome = new Outcome();
    return refuse(acquisition, outcome) ? outcome : null;
  }

  /** Refuses an acquisition from memory, or returns false if it has to be asked for. */
  boolean refuse(Acquisition acquisition, Outcome outcome) {
    return !acquisition.dryRun() && refuse(acquisition, outcome, true);
  }

  /** Refuses what is remembered as refused, while Redis cannot be asked. */
  boolean refuseRemembered(Acquisition acquisition, Outcome outcome) {
    return refuse(acquisition, outcome, false);
  }

  private boolean refuse(Acquisition acquisition, Outcome outcome, boolean deciding) {
    if (denials.isEmpty()) {
      return false;
    }
    long nanos = System.nanoTime();
    int longest = -1;
    Denial refusing = null;
    for (int i = 0; i < acquisition.size(); i++) {
      Denial denial = acquisition.shadow(i) ? null : find(acquisition.key(i), nanos, deciding);
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

  private @Nullable Denial find(RateLimitKey key, long nanos, boolean deciding) {
    Denial denial = denials.get(key);
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
      Denial denial, Acquisition acquisition, int i, long nanos, Outcome outcome) {
    long latest = denial.serverMicros + (nanos - denial.sentNanos) / 1000 + 1;
    BucketLimits limits = acquisition.key(i).limits();
    outcome.reset(limits.size());
    return !passes(denial, limits, acquisition.cost(i), latest, outcome.views(), 0);
  }

  /** Views all bands of an entry at a moment, and returns whether they admit the cost. */
  private static boolean passes(
      Denial denial, BucketLimits limits, long cost, long micros, long[] view, int from) {
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
      Acquisition acquisition, int refused, Denial denial, Outcome outcome, long nanos) {
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

  /** Learns from a reply: refused keys are remembered, others are not refused any more. */
  void learn(Ticket ticket, Outcome outcome, long receivedNanos) {
    if (outcome.allowed() && denials.isEmpty()) {
      return;
    }
    Acquisition acquisition = ticket.acquisition();
    int v = 0;
    for (int i = 0; i < acquisition.size(); i++) {
      RateLimitKey key = acquisition.key(i);
      if (outcome.passed(i)) {
        // Looked for first, because removing what is not there may lock.
        if (denials.containsKey(key)) {
          denials.remove(key);
        }
      } else if (acquisition.cost(i) <= capacity(key.limits())) {
        remember(ticket, key, acquisition.cost(i), outcome, v, receivedNanos);
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

  private void remember(
      Ticket ticket, RateLimitKey key, long cost, Outcome outcome, int from, long nanos) {
    if (denials.size() >= MAX_ENTRIES && !denials.containsKey(key)) {
      denials.values().removeIf(denial -> nanos - denial.remembersUntilNanos >= 0);
      if (denials.size() >= MAX_ENTRIES) {
        return;
      }
    }
    BucketLimits limits = key.limits();
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
    long waitNanos = Math.min(waitMicros, Long.MAX_VALUE / 2000) * 1000;
    denials.put(
        key,
        new Denial(
            state,
            outcome.nowMicros(),
            ticket.sentNanos(),
            nanos,
            waitNanos,
            generations.of(limits)));
  }

  /** Forgets one key. */
  void forget(RateLimitKey key) {
    denials.remove(key);
  }

  /** Returns what tells other nodes of a key, without telling who it is. */
  static String notice(RateLimitKey key) {
    return Generations.field(key.limits()) + " " + IdentityDigest.of(key.identity());
  }

  /** Forgets the key of which a notice tells, whatever its limits. */
  void forget(String notice) {
    String owner = notice.substring(0, notice.indexOf(' ') + 1);
    denials
        .keySet()
        .removeIf(
            key ->
                owner.equals(Generations.field(key.limits()) + " ") && notice(key).equals(notice));
  }

  int size() {
    return denials.size();
  }
}
