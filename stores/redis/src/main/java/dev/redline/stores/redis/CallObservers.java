package dev.redline.stores.redis;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The place of whoever hears of calls, which may be empty. */
final class CallObservers implements CallObserver {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());

  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile @Nullable CallObserver taken;

  void take(CallObserver observer) {
    taken = observer;
  }

  @Override
  public void answered(String node, long nanos) {
    CallObserver observer = taken;
    if (observer != null) {
      try {
        observer.answered(node, nanos);
      } catch (RuntimeException e) {
        threw(e);
      }
    }
  }

  @Override
  public void failed(String node, long nanos, StoreException failure) {
    CallObserver observer = taken;
    if (observer != null) {
      try {
        observer.failed(node, nanos, failure);
      } catch (RuntimeException e) {
        threw(e);
      }
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

  /** Notes what an observer threw at a call, which must not keep the call's callers waiting. */
  private void threw(RuntimeException e) {
    Level level = warned.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
    LOG.log(level, "an observer of calls to Redis failed", e);
  }
}
