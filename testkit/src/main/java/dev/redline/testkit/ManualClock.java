package dev.redline.testkit;

import dev.redline.core.store.MicrosClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until it is moved, forward or back. Counts whole microseconds.
 * Thread-safe.
 */
public final class ManualClock implements MicrosClock {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final AtomicLong micros;

  /** Creates a clock at midnight UTC, the first of January 2026. */
  public ManualClock() {
    this(START);
  }

  /** Creates a clock that starts at the given time. */
  public ManualClock(Instant start) {
    this.micros = new AtomicLong(toMicros(start));
  }

  @Override
  public long nowMicros() {
    return micros.get();
  }

  /** Returns the current time. */
  public Instant now() {
    return Instant.EPOCH.plus(nowMicros(), ChronoUnit.MICROS);
  }

  /** Sets the time, which may lie before the current one. */
  public void set(Instant time) {
    micros.set(toMicros(time));
  }

  /** Moves the clock forward, or back by a negative duration. */
  public void advance(Duration by) {
    micros.addAndGet(by.dividedBy(Duration.of(1, ChronoUnit.MICROS)));
  }

  /** Moves the clock back, as when a wrong clock is corrected. */
  public void stepBack(Duration by) {
    advance(by.negated());
  }

  private static long toMicros(Instant time) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, time);
  }

  @Override
  public String toString() {
    return "ManualClock[" + now() + "]";
  }
}
