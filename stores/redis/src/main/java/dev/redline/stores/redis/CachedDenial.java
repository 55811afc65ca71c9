package dev.redline.stores.redis;

import dev.redline.core.store.RateLimitKey;

/** A denied bucket as a reply showed it: its state, and between which moments the server saw it. */
final class CachedDenial {
  private static final long AUTHORITY_NANOS = 1_000_000_000L;

  final RateLimitKey key;

  /** The state of its bands when it denied. */
  final long[] state;

  /** The server's time of the reply. */
  final long serverMicros;

  /** When the call was sent, which is before the server looked. */
  final long sentNanos;

  final long receivedNanos;

  /** Until when it denies without asking Redis. */
  final long decidesUntilNanos;

  /** Until when it denies while Redis cannot be asked. */
  final long remembersUntilNanos;

  /** The generation of the bucket that was asked for. */
  final long generation;

  CachedDenial(
      RateLimitKey key,
      long[] state,
      long serverMicros,
      long sentNanos,
      long receivedNanos,
      long waitNanos,
      long generation) {
    this.key = key;
    this.state = state;
    this.serverMicros = serverMicros;
    this.sentNanos = sentNanos;
    this.receivedNanos = receivedNanos;
    this.decidesUntilNanos = receivedNanos + Math.min(waitNanos, AUTHORITY_NANOS);
    this.remembersUntilNanos = receivedNanos + waitNanos;
    this.generation = generation;
  }
}
