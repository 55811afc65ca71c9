package dev.redline.core.internal.store;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.RemoteStore;
import java.time.Duration;
import java.util.List;

/** A remote store that forwards every call to another one; see {@link ForwardingStore}. */
public abstract class ForwardingRemoteStore extends ForwardingStore implements RemoteStore {
  /** Creates the decorator. */
  protected ForwardingRemoteStore() {}

  @Override
  protected abstract RemoteStore delegate();

  @Override
  public List<String> nodes(Acquisition acquisition) {
    return delegate().nodes(acquisition);
  }

  @Override
  public void observe(CallObserver observer) {
    delegate().observe(observer);
  }

  @Override
  public Duration commandTimeout() {
    return delegate().commandTimeout();
  }
}
