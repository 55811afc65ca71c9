package dev.redline.stores.redis;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tokens that were taken from a bucket ahead of demand, to be spent in this process.
 *
 * <p>The bucket counts them as taken now; callers use them later. Meanwhile refill replaces them in
 * the bucket, once it has replaced everything that was taken before them. From then on one unspent
 * token after the other dies, at the pace of the refill. Times are upper bounds of the server's
 * time: a local time since the request was sent, and a little faster than the local clock, in case
 * that one is slow. A spend is one compare-and-set. Lock-free.
 */
final class LeaseBlock {
  /** The value of {@link #unspent} after the block was closed. */
  private static final long CLOSED = -1;

  /** The result of a spend that was not possible. */
  static final long NONE = -1;

  /** Clocks differ in pace by less than one part in 2^10. */
  private static final int DRIFT_SHIFT = 10;

  private static final long MAX_LIFE_MICROS = Long.MAX_VALUE / 4000;

  private final long id;
  private final RateLimitKey key;
  private final long tokens;
  private final long generation;
  private final long startNanos;
  private final SeenBucket bucketAfter;
  private final long[] endNanos;
  private final long[] tokenNanos;
  private final long allAliveUntilNanos;
  private final LeaseRules rules;
  private final AtomicLong unspent;
  private final AtomicLong decayed = new AtomicLong();

  /**
   * Creates the block.
   *
   * @param tokens how many tokens were taken
   * @param outcome what the bucket looked like just before
   * @param startNanos the local time that stands for the server's time of the outcome
   * @param generation the generation of the bucket that was asked for
   */
  LeaseBlock(
      long id,
      RateLimitKey key,
      long tokens,
      Outcome outcome,
      long startNanos,
      long generation,
      LeaseRules rules) {
    this.id = id;
    this.key = key;
    this.tokens = tokens;
    this.generation = generation;
    this.startNanos = startNanos;
    this.bucketAfter = SeenBucket.of(key.limits(), outcome, 0, tokens, startNanos);
    this.rules = rules;
    this.unspent = new AtomicLong(tokens);
    BucketLimits limits = key.limits();
    long[] views = outcome.views().clone();
    limits.arithmetic().advance(views, 0, tokens);
    this.endNanos = new long[limits.size()];
    this.tokenNanos = new long[limits.size()];
    long safe = Long.MAX_VALUE / 2;
    for (int b = 0; b < endNanos.length; b++) {
      BandArithmetic band = limits.band(b);
      long life =
          1000 * Math.min(band.leaseMicros(views, b * BandArithmetic.VIEW_WORDS), MAX_LIFE_MICROS);
      // One microsecond less, because the server's clock shows whole ones.
      long latest = life - (life >> DRIFT_SHIFT) - 1000;
      endNanos[b] = startNanos + latest;
      tokenNanos[b] = band.tokenNanos();
      safe = Math.min(safe, latest - tokens * tokenNanos[b]);
    }
    this.allAliveUntilNanos = startNanos + safe;
  }

  long id() {
    return id;
  }

  RateLimitKey key() {
    return key;
  }

  /** Returns how many tokens it had. */
  long tokens() {
    return tokens;
  }

  long generation() {
    return generation;
  }

  long startNanos() {
    return startNanos;
  }

  /** Returns the bucket as it was just after the tokens were taken. */
  SeenBucket bucketAfter() {
    return bucketAfter;
  }

  private long alive(long nanos) {
    if (nanos - allAliveUntilNanos <= 0) {
      return tokens;
    }
    long least = tokens;
    for (int b = 0; b < endNanos.length; b++) {
      least = Math.min(least, rules.alive(tokens, endNanos[b], tokenNanos[b], nanos));
    }
    return least;
  }

  /**
   * Spends tokens.
   *
   * @return how many could be spent before, or {@link #NONE} if they do not suffice
   */
  long spend(long cost, long nanos) {
    long alive = alive(nanos);
    while (true) {
      long had = unspent.get();
      long usable = Math.min(had, alive);
      if (usable < cost) {
        return NONE;
      }
      if (unspent.compareAndSet(had, usable - cost)) {
        if (usable < had) {
          decayed.addAndGet(had - usable);
        }
        return usable;
      }
    }
  }

  /** Takes a spend back; returns false if the block was closed meanwhile. */
  boolean restore(long cost) {
    while (true) {
      long had = unspent.get();
      if (had == CLOSED) {
        return false;
      }
      if (unspent.compareAndSet(had, had + cost)) {
        return true;
      }
    }
  }

  /** Returns how many tokens can be spent now. */
  long usable(long nanos) {
    return Math.max(0, Math.min(unspent.get(), alive(nanos)));
  }

  boolean isClosed() {
    return unspent.get() == CLOSED;
  }

  /** Returns how many tokens are not spent, dead ones included; 0 if it is closed. */
  long unspent() {
    return Math.max(0, unspent.get());
  }

  /** Returns how many tokens died before they were spent, as far as a spend noticed. */
  long decayed() {
    return decayed.get();
  }

  /** Returns how many tokens were spent; only of a block that is not closed. */
  long spent() {
    return tokens - unspent() - decayed();
  }

  /**
   * Ends the block: nothing can be spent any more.
   *
   * @return how many tokens were unspent, dead ones included; {@link #NONE} if it was closed before
   */
  long close() {
    return unspent.getAndSet(CLOSED);
  }

  /** Returns how many of so many unspent tokens refill has not replaced. */
  long aliveOf(long tokensLeft, long nanos) {
    return Math.min(tokensLeft, alive(nanos));
  }
}
