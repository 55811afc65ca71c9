package dev.redline.stores.redis.internal;

import java.util.List;

/**
 * The world of a simulated store: its clock, and the masters it calls. A store of this world has no
 * threads and reads no other clock, so a single thread can run thousands of them on simulated time.
 */
public interface SimulatedWorld {
  /** The scripts of the store. */
  enum Script {
    /** A batch of acquisitions, or a lease: {@code acquire.lua}. */
    ACQUIRE,
    /** One acquisition: {@code acquire-one.lua}. */
    ACQUIRE_ONE,
    /** A refund of leased tokens: {@code refund-last.lua}. */
    REFUND_LAST
  }

  /** Receives the end of a call, once. */
  interface Reply {
    /** Receives the numbers that the script replied with. */
    void receive(long[] numbers);

    /** Is called if there is no reply in time. */
    void timeOut();
  }

  /** Returns the time, like {@link System#nanoTime}. */
  long nanoTime();

  /** Returns how many masters there are; one alone is no cluster. */
  int masters();

  /**
   * Sends a script call, with the keys and arguments that the script documents.
   *
   * @param master the number of the master that owns the slot of the keys, from 0
   */
  void call(int master, Script script, List<byte[]> keys, List<byte[]> arguments, Reply reply);
}
