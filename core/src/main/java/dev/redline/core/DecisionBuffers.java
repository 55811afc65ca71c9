package dev.redline.core;

import dev.redline.core.internal.path.RankList;
import dev.redline.core.store.Outcome;

/**
 * Memory that a decision needs only while it is made. Each thread reuses its own, so that a
 * decision without I/O does not allocate it; nothing of it leaves the call.
 */
final class DecisionBuffers {
  private static final ThreadLocal<DecisionBuffers> OF_THREAD =
      ThreadLocal.withInitial(DecisionBuffers::new);

  private final Outcome outcome = new Outcome();
  private final RankList ranks = new RankList();
  private boolean inUse;

  private DecisionBuffers() {}

  /**
   * Returns the buffers of this thread until {@link #release}; other ones if it is making a
   * decision already, since key resolvers and stores may call an engine.
   */
  static DecisionBuffers acquire() {
    DecisionBuffers own = OF_THREAD.get();
    DecisionBuffers free = own.inUse ? new DecisionBuffers() : own;
    free.inUse = true;
    return free;
  }

  void release() {
    inUse = false;
  }

  Outcome outcome() {
    return outcome;
  }

  /** Returns an empty list. */
  RankList ranks() {
    ranks.clear();
    return ranks;
  }
}
