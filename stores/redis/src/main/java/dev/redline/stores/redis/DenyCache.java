package dev.redline.stores.redis;

import dev.redline.core.internal.store.BandCursor;
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
    limits.arithmetic().view(denial.state, 0, latest, outcome.views(), 0);
    return !limits.arithmetic().admits(outcome.views(), 0, acquisition.cost(i));
  }

  /**
   * Tells of the key that makes the caller wait longest, at the earliest time the server's clock
   * can show: waits must hold. Of the other keys nothing is known now.
   */
  private static void report(
      Acquisition acquisition, int refused, CachedDenial denial, Outcome outcome, long nanos) {
    outcome.reset(acquisition.bands());
    long earliest = denial.serverMicros + (nanos - denial.receivedNanos) / 1000;
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      if (at.key() == refused) {
        at.bucket().view(denial.state, 0, earliest, outcome.views(), at.view());
      } else {
        outcome.unseen(at.key());
      }
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
    BandCursor at = new BandCursor(acquisition);
    while (at.nextKey()) {
      RateLimitKey key = acquisition.key(at.key());
      if (outcome.passed(at.key())) {
        denials.remove(key);
      } else if (at.cost() <= at.bucket().capacity()) {
        denials.put(denial(ticket, at, outcome, receivedNanos));
      }
    }
  }

  private static CachedDenial denial(
      PendingAcquisition ticket, BandCursor at, Outcome outcome, long nanos) {
    int i = at.key();
    long[] state = new long[at.bucket().stateWords()];
    at.bucket().take(state, 0, outcome.nowMicros(), outcome.views(), at.view(), 0);
    long waitMicros = at.bucket().waitMicros(outcome.views(), at.view(), at.cost());
    long waitNanos = Math.min(waitMicros, Long.MAX_VALUE / 4000) * 1000;
    return new CachedDenial(
        ticket.acquisition().key(i),
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

  /** Returns whether a text is a notice, which {@link #hash} can read. */
  static boolean isNotice(String text) {
    return NOTICE.matcher(text).matches();
  }

  /** Returns the hash of the key that a notice names. */
  static long hash(String notice) {
    return Long.parseUnsignedLong(notice, 16);
  }

  /** Forgets the key that a notice names, under all limits; ignores what is not a notice. */
  void forget(String notice) {
    if (isNotice(notice)) {
      denials.forget(hash(notice));
    }
  }

  int size() {
    return denials.size();
  }
}
