package dev.redline.stores.redis.internal;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.concurrent.CompletionStage;

/** A store in a {@link SimulatedWorld}, for one thread. */
public interface SimulatedStore {
  /** Allows by leased tokens or denies from memory; returns false if a call has to decide. */
  boolean acquireNow(Acquisition acquisition, Outcome outcome);

  /** Has a call decide; the stage completes on the thread that runs the world. */
  CompletionStage<Outcome> acquire(Acquisition acquisition);

  /** Ends what is late or idle; the world calls it every {@link #tickNanos}. */
  void tick();

  /** Returns how much time lies between two calls of {@link #tick}. */
  long tickNanos();

  /** Returns how many tokens it holds that are not spent. */
  long tokensHeld();
}
