package dev.redline.bench.redis;

import org.jspecify.annotations.Nullable;

/** A limiter on Redis that has a bucket for every key, each in Redis already. */
interface Limiter {
  /** Takes one token from the bucket of key {@code i}, and tells what came of it. */
  void ask(int i, Answer answer);

  /** Takes one token from the bucket of key {@code i}, and waits for the answer. */
  boolean askNow(int i);

  /** Hears of a decision, on whichever thread the limiter has for that. */
  interface Answer {
    /** Tells whether it passed, or why there is no decision. */
    void told(boolean passed, @Nullable Throwable failure);
  }
}
