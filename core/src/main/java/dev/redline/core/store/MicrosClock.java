package dev.redline.core.store;

/**
 * A clock in microseconds since the epoch.
 *
 * <p>Stores in this process read it once per decision; tests set it.
 */
@FunctionalInterface
public interface MicrosClock {
  /** Returns the current time. */
  long nowMicros();

  /**
   * Returns a clock that starts at the system's time and then advances monotonically, also if the
   * system's clock is set.
   */
  static MicrosClock monotonic() {
    long startMicros = Math.multiplyExact(System.currentTimeMillis(), 1000L);
    long startNanos = System.nanoTime();
    return () -> startMicros + (System.nanoTime() - startNanos) / 1000;
  }
}
