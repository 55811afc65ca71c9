package dev.redline.stores.redis;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Forwards notifications of calls to an observer, once one is set, and logs what it throws. */
final class CallObservers implements CallObserver {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());

  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile @Nullable CallObserver current;

  void set(CallObserver observer) {
    current = observer;
  }

  @Override
  public void answered(String node, long nanos) {
    CallObserver observer = current;
    if (observer != null) {
      try {
        observer.answered(node, nanos);
      } catch (RuntimeException e) {
        logFailure(e);
      }
    }
  }

  @Override
  public void failed(String node, long nanos, StoreException failure) {
    CallObserver observer = current;
    if (observer != null) {
      try {
        observer.failed(node, nanos, failure);
      } catch (RuntimeException e) {
        logFailure(e);
      }
    }
  }

  @Override
  public boolean away() {
    CallObserver observer = current;
    return observer != null && observer.away();
  }

  @Override
  public void recovered() {
    CallObserver observer = current;
    if (observer != null) {
      observer.recovered();
    }
  }

  @Override
  public void alive() {
    CallObserver observer = current;
    if (observer != null) {
      try {
        observer.alive();
      } catch (RuntimeException e) {
        logFailure(e);
      }
    }
  }

  /** Logs an exception of the observer, which must not keep the outcomes of the call back. */
  private void logFailure(RuntimeException e) {
    Level level = warned.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
    LOG.log(level, "an observer of calls to Redis threw an exception", e);
  }
}
