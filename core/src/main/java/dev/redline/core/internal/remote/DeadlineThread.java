package dev.redline.core.internal.remote;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** A thread that looks at deadlines every few milliseconds, and sleeps while there are none. */
final class DeadlineThread implements AutoCloseable {
  private static final Logger LOG = System.getLogger(DeadlineThread.class.getName());
  private static final long TICK_NANOS = 2_500_000;
  private static final int IDLE_TICKS = 100;

  private final BooleanSupplier idle;
  private final LongConsumer tick;
  private final Thread thread;
  private volatile boolean asleep;
  private volatile boolean closed;

  /**
   * Creates the thread.
   *
   * @param idle whether there is nothing with a deadline
   * @param tick looks at the deadlines, at a time of {@link System#nanoTime}
   */
  DeadlineThread(String name, BooleanSupplier idle, LongConsumer tick) {
    this.idle = idle;
    this.tick = tick;
    this.thread = new Thread(this::watch, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Has to be called after something with a deadline came, for which {@code idle} is false. */
  void wake() {
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  private void watch() {
    int idleTicks = 0;
    while (!closed) {
      idleTicks = idle.getAsBoolean() ? idleTicks + 1 : 0;
      if (idleTicks > IDLE_TICKS) {
        asleep = true;
        if (idle.getAsBoolean() && !closed) {
          LockSupport.park(this);
        }
        asleep = false;
        idleTicks = 0;
      }
      LockSupport.parkNanos(this, TICK_NANOS);
      try {
        tick.accept(System.nanoTime());
      } catch (RuntimeException | Error e) {
        // Errors too, such as OutOfMemoryError: without this thread, callers would wait for ever.
        LOG.log(Level.ERROR, "checking the deadlines of acquisitions failed", e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
