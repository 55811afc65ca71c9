package dev.redline.bench.faults;

import dev.redline.core.internal.store.ForwardingRemoteStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import java.util.concurrent.CompletionStage;

/** A store whose outcomes are recorded in a history. */
final class RecordingStore extends ForwardingRemoteStore {
  private final RemoteStore store;
  private final StorageProvider recorded;

  /**
   * Creates the store.
   *
   * @param recorded the same store, as the history records it
   */
  RecordingStore(RemoteStore store, StorageProvider recorded) {
    this.store = store;
    this.recorded = recorded;
  }

  @Override
  protected RemoteStore delegate() {
    return store;
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return recorded.acquire(acquisition);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return recorded.acquireNow(acquisition, outcome);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    return recorded.acquireAndWait(acquisition);
  }
}
