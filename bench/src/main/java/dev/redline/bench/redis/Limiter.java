package dev.redline.bench.redis;

import org.jspecify.annotations.Nullable;

/** A limiter on Redis with a bucket for every key, each in Redis already. */
interface Limiter {
  /** Acquires one token of key {@code i}; passes the decision to a callback. */
  void acquire(int i, Callback callback);

  /** Acquires one token of key {@code i}; waits for the decision. */
  boolean acquireAndWait(int i);

  /** Receives a decision, on a thread of the limiter. */
  interface Callback {
    /** Receives whether the call was allowed, or the failure. */
    void onDecision(boolean passed, @Nullable Throwable failure);
  }
}
