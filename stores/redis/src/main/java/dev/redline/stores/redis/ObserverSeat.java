package dev.redline.stores.redis;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import org.jspecify.annotations.Nullable;

/** The place of whoever hears of calls, which may be empty. */
final class ObserverSeat implements CallObserver {
  private volatile @Nullable CallObserver taken;

  void take(CallObserver observer) {
    taken = observer;
  }

  @Override
  public void answered(String node, long nanos) {
    CallObserver observer = taken;
    if (observer != null) {
      observer.answered(node, nanos);
    }
  }

  @Override
  public void failed(String node, long nanos, StoreException failure) {
    CallObserver observer = taken;
    if (observer != null) {
      observer.failed(node, nanos, failure);
    }
  }

  @Override
  public boolean away() {
    CallObserver observer = taken;
    return observer != null && observer.away();
  }

  @Override
  public void recovered() {
    CallObserver observer = taken;
    if (observer != null) {
      observer.recovered();
    }
  }
}
