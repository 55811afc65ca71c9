package dev.redline.bench.local;

/** A limiter with a bucket for every key, each used once already. */
interface KeyPopulation extends AutoCloseable {
  /** Returns the limiter as one thread calls it. */
  Caller caller();

  /** Stops the background threads of the limiter. */
  @Override
  default void close() {}

  /** The calls of one thread. */
  @FunctionalInterface
  interface Caller {
    /** Acquires one token of key {@code i}; returns whether it was allowed. */
    boolean acquire(int i);
  }
}
