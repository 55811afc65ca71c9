package dev.redline.server.access;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Writes failed logins to the log, a few per second: guessing must not become a flood of lines. The
 * token is never part of a line; it may be a right one with a typing mistake. Thread-safe.
 */
final class FailedLoginLog {
  private static final Logger LOG = System.getLogger(FailedLoginLog.class.getName());
  private static final int LINES_PER_SECOND = 5;

  private long second = Long.MIN_VALUE;
  private int lines;
  private long left;

  synchronized void failed(String address) {
    long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (now != second) {
      second = now;
      lines = 0;
    }
    if (++lines > LINES_PER_SECOND) {
      left++;
      return;
    }
    String more = left > 0 ? " (" + left + " more were not logged)" : "";
    left = 0;
    LOG.log(Level.WARNING, "a login with an unknown token failed, from " + address + more);
  }
}
