package dev.redline.server.access;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Logs failed logins, at most {@value #LINES_PER_SECOND} per second, so that guessing tokens does
 * not flood the log. A line never contains the token: it may be a valid one with a typing mistake.
 * Thread-safe.
 */
final class FailedLoginLog {
  private static final Logger LOG = System.getLogger(FailedLoginLog.class.getName());
  private static final int LINES_PER_SECOND = 5;

  private long second = Long.MIN_VALUE;
  private int lines;
  private long suppressed;

  synchronized void record(String address) {
    long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (now != second) {
      second = now;
      lines = 0;
    }
    if (++lines > LINES_PER_SECOND) {
      suppressed++;
      return;
    }
    String more = suppressed > 0 ? " (" + suppressed + " more were not logged)" : "";
    suppressed = 0;
    LOG.log(Level.WARNING, "failed login with an unknown token from " + address + more);
  }
}
