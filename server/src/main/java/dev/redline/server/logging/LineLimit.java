package dev.redline.server.logging;

import java.util.concurrent.TimeUnit;

/** Limits the lines of a log per second, so that a flood of events does not flood the log. */
public final class LineLimit {
  private final int linesPerSecond;
  private long second = Long.MIN_VALUE;
  private int lines;
  private long leftOut;

  /** Creates a limit. */
  public LineLimit(int linesPerSecond) {
    this.linesPerSecond = linesPerSecond;
  }

  /** Returns whether one more line may be logged now; else it counts as left out. */
  public boolean allowsLine() {
    long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (now != second) {
      second = now;
      lines = 0;
    }
    if (lines < linesPerSecond) {
      lines++;
      return true;
    }
    leftOut++;
    return false;
  }

  /** Returns how many lines were left out since the last call. */
  public long takeLeftOut() {
    long count = leftOut;
    leftOut = 0;
    return count;
  }
}
