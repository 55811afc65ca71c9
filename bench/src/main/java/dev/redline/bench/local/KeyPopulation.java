package dev.redline.bench.local;

/** A limiter with a bucket for every key, each asked once already. */
interface KeyPopulation extends AutoCloseable {
  /** Returns what one thread asks with. */
  Caller caller();

  /** Stops what the limiter runs in the background. */
  @Override
  default void close() {}

  /** One thread's way to ask. */
  @FunctionalInterface
  interface Caller {
    /** Takes one token from the bucket of key {@code i}; returns whether there was one. */
    boolean ask(int i);
  }
}
