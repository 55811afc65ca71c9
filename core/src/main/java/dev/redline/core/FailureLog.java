package dev.redline.core;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Logs failures of code that belongs to the application, once a minute: it may fail for every
 * decision, and on the thread that decides. Thread-safe.
 */
final class FailureLog {
  private static final long EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER = Long.MIN_VALUE;

  private final Logger log;
  private final String message;
  private final AtomicLong lastLogged = new AtomicLong(NEVER);
  private final LongAdder notLogged = new LongAdder();

  FailureLog(Logger log, String message) {
    this.log = log;
    this.message = message;
  }

  void failed(Throwable failure) {
    long now = System.nanoTime();
    long last = lastLogged.get();
    boolean first = last == NEVER;
    if ((!first && now - last < EVERY_NANOS) || !lastLogged.compareAndSet(last, now)) {
      notLogged.increment();
      return;
    }
    long more = notLogged.sumThenReset();
    log.log(
        Level.WARNING,
        message + (more == 0 ? "" : ", and " + more + " times since the last such message"),
        failure);
  }
}
