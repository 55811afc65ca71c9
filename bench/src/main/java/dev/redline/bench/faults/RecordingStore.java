package dev.redline.bench.faults;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreHealth;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A remote store whose acquisitions go through a recording one. */
record RecordingStore(RemoteStore store, StorageProvider recorded) implements RemoteStore {
  @Override
  public String type() {
    return store.type();
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    return store.nodes(acquisition);
  }

  @Override
  public void observe(CallObserver observer) {
    store.observe(observer);
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
  public boolean refuseFromMemory(Acquisition acquisition, Outcome outcome) {
    return store.refuseFromMemory(acquisition, outcome);
  }

  @Override
  public StoreHealth health() {
    return store.health();
  }

  @Override
  public void close() {
    store.close();
  }
}
