package dev.redline.server.access;

import dev.redline.server.logging.LineLimit;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Logs failed logins, at most {@value #LINES_PER_SECOND} per second, so that guessing tokens does
 * not flood the log. A line never contains the token: it may be a valid one with a typing mistake.
 * Thread-safe.
 */
final class FailedLoginLog {
  private static final Logger LOG = System.getLogger(FailedLoginLog.class.getName());
  private static final int LINES_PER_SECOND = 5;

  private final LineLimit limit = new LineLimit(LINES_PER_SECOND);

  synchronized void record(String address) {
    if (!limit.allowsLine()) {
      return;
    }
    long leftOut = limit.takeLeftOut();
    String more = leftOut > 0 ? " (" + leftOut + " more were not logged)" : "";
    LOG.log(Level.WARNING, "failed login with an unknown token from " + address + more);
  }
}
