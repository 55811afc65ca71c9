package dev.redline.server.wiring;

import dev.redline.core.LimitExceeded;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Logs denials to the logger {@code dev.redline.events}, one line each and at most {@value
 * #LINES_PER_SECOND} per second, so that a flood of denied requests does not flood the log. Called
 * by one thread.
 */
final class LimitExceededLog implements Consumer<LimitExceeded> {
  private static final Logger LOG = System.getLogger("dev.redline.events");
  private static final int LINES_PER_SECOND = 20;

  private long second = Long.MIN_VALUE;
  private int lines;
  private long suppressed;

  @Override
  public void accept(LimitExceeded event) {
    if (!LOG.isLoggable(Level.INFO)) {
      return;
    }
    long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
    if (now != second) {
      second = now;
      lines = 0;
    }
    if (++lines > LINES_PER_SECOND) {
      suppressed++;
      return;
    }
    LOG.log(Level.INFO, text(event));
  }

  private String text(LimitExceeded event) {
    StringBuilder text = new StringBuilder("denied reason=").append(event.reason());
    event.ruleSetId().ifPresent(set -> text.append(" ruleSetId=").append(set));
    event.ruleId().ifPresent(rule -> text.append(" ruleId=").append(rule));
    event.plan().ifPresent(plan -> text.append(" plan=").append(plan));
    event.band().ifPresent(band -> text.append(" band=").append(band));
    event.identityDigest().ifPresent(digest -> text.append(" identity=").append(digest));
    event.path().ifPresent(path -> text.append(" path=").append(printable(path)));
    event.retryAfterMs().ifPresent(millis -> text.append(" retryAfterMs=").append(millis));
    if (event.degraded()) {
      text.append(" degraded=true");
    }
    if (suppressed > 0) {
      text.append(" notLogged=").append(suppressed);
      suppressed = 0;
    }
    return text.toString();
  }

  /** Replaces special characters: callers choose paths and must not be able to forge log lines. */
  private static String printable(String path) {
    StringBuilder text = new StringBuilder("\"");
    path.chars()
        .limit(256)
        .forEach(c -> text.append(c <= ' ' || c == '"' || c == '\\' || c > '~' ? '?' : (char) c));
    return text.append('"').toString();
  }
}
