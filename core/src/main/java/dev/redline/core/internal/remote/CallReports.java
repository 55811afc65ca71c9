package dev.redline.core.internal.remote;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the observer of a store of its calls, once one is set. An exception of the observer is
 * logged, and does not reach the store.
 */
public final class CallReports {
  private static final Logger LOG = System.getLogger(CallReports.class.getName());

  private final AtomicBoolean warned = new AtomicBoolean();
  private volatile @Nullable CallObserver observer;

  /** Creates the reports of a store that has no observer yet. */
  public CallReports() {}

  /** Sets the observer. */
  public void observe(CallObserver newObserver) {
    observer = newObserver;
  }

  /** Reports a call that a node answered. */
  public void answered(String node, long nanos) {
    report(present -> present.answered(node, nanos));
  }

  /** Reports a call that a node did not answer, or answered with an error. */
  public void failed(String node, long nanos, StoreException failure) {
    report(present -> present.failed(node, nanos, failure));
  }

  /** Reports that the store does not reply; returns whether the observer has logged it. */
  public boolean away() {
    boolean[] logged = new boolean[1];
    report(present -> logged[0] = present.away());
    return logged[0];
  }

  /** Reports that the store replies again. */
  public void recovered() {
    report(CallObserver::recovered);
  }

  /** Reports that the store replied in the background. */
  public void alive() {
    report(CallObserver::alive);
  }

  private void report(Consumer<CallObserver> event) {
    CallObserver present = observer;
    if (present == null) {
      return;
    }
    try {
      event.accept(present);
    } catch (RuntimeException e) {
      Level level = warned.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
      LOG.log(level, "an observer of a store's calls threw an exception", e);
    }
  }
}
