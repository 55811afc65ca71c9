package dev.redline.core.store;

import java.time.Duration;
import java.util.List;

/**
 * A store that is reached by calls to one or more nodes, each of which can fail by itself.
 *
 * <p>One call may carry many acquisitions; what says something about a node is the call.
 */
public interface RemoteStore extends StorageProvider {
  /**
   * Is notified of each call before the acquisitions that it carried complete, so that one for
   * which no node was called can be told from one that a node decided. Called on the store's
   * threads: it never blocks and never throws.
   */
  interface CallObserver {
    /** A node answered a call. */
    void answered(String node, long nanos);

    /** A node did not answer a call, or with an error. */
    void failed(String node, long nanos, StoreException failure);

    /**
     * The store was seen to be away, in the background. One outage is one line in the log: the
     * store's, unless the observer has written one already.
     *
     * @return whether the observer has
     */
    default boolean away() {
      return false;
    }

    /** The store was seen again, in the background, after it had been away. */
    void recovered();

    /**
     * The store replied to a check in the background, again and again while it is not away. That a
     * store replies does not mean that it decides: one without memory replies too.
     */
    default void alive() {}
  }

  /**
   * Returns the nodes an acquisition needs, as they are known now. The names are of a bounded
   * number, and for people.
   */
  List<String> nodes(Acquisition acquisition);

  /** Sets who hears of calls: one, and before the first acquisition. */
  void observe(CallObserver observer);

  /** Returns how long a call may take before it fails; a call that takes most of it is slow. */
  default Duration commandTimeout() {
    return Duration.ofMillis(50);
  }
}
