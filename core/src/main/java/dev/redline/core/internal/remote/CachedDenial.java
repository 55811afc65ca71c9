package dev.redline.core.internal.remote;

import dev.redline.core.store.RateLimitKey;

/**
 * A bucket that denied, as a reply of the store showed it. The store read it between {@link
 * #sentNanos} and {@link #receivedNanos}.
 */
final class CachedDenial {
  private static final long LEASE_NANOS = 1_000_000_000L;

  final RateLimitKey key;

  /** The state of its bands when it denied. */
  final long[] state;

  /** The time of the reply by the store's clock. */
  final long storeMicros;

  final long sentNanos;
  final long receivedNanos;

  /** Until when the denial is repeated without a call. */
  final long decidesUntilNanos;

  /** Until when the denial is repeated while the store fails: the advertised time. */
  final long advertisedNanos;

  /** The generation that was sent with the acquisition. */
  final long generation;

  CachedDenial(
      RateLimitKey key,
      long[] state,
      long storeMicros,
      long sentNanos,
      long receivedNanos,
      long waitNanos,
      long generation) {
    this.key = key;
    this.state = state;
    this.storeMicros = storeMicros;
    this.sentNanos = sentNanos;
    this.receivedNanos = receivedNanos;
    this.decidesUntilNanos = receivedNanos + Math.min(waitNanos, LEASE_NANOS);
    this.advertisedNanos = receivedNanos + waitNanos;
    this.generation = generation;
  }
}
