package dev.redline.server.logging;

import dev.redline.core.DecisionListener;
import dev.redline.core.DecisionListener.LimitExceeded;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.ApiKeyDigest;
import dev.redline.core.key.RequestContext;
import dev.redline.core.spi.MetricsExporter;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs denials to the logger {@code dev.redline.events}, one line each and at most {@value
 * #LINES_PER_SECOND} per second, so that a flood of denied requests does not flood the log. Lines
 * contain digests of identities, never identities.
 *
 * <p>Thread-safe. Lines are written by a thread of its own, so that no request waits for the log;
 * denials that do not fit the queue are dropped and counted as {@code ratelimit.events.dropped}.
 */
public final class DenialLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("dev.redline.events");
  private static final int LINES_PER_SECOND = 20;
  private static final int CAPACITY = 4096;
  private static final int MAX_PATH = 256;

  /** What a line needs: a check may hold 1 MiB, and must not wait for the log. */
  private record Denial(
      @Nullable String path, RateLimitResult result, @Nullable TraceContext trace) {}

  private final BlockingQueue<Denial> queue = new ArrayBlockingQueue<>(CAPACITY);
  private final DecisionListener denials;
  private final MetricsExporter metrics;
  private final Thread thread = new Thread(this::run, "redline-denial-log");

  // Used by the thread alone.
  private @Nullable TraceContext trace;
  private final LineLimit limit = new LineLimit(LINES_PER_SECOND);

  private DenialLog(ApiKeyDigest digest, MetricsExporter metrics) {
    this.denials = DecisionListener.ofExceeded(this::write, digest);
    this.metrics = metrics;
    thread.setDaemon(true);
  }

  /**
   * Starts the thread that writes.
   *
   * @param digest makes the digests of identities
   */
  public static DenialLog start(ApiKeyDigest digest, MetricsExporter metrics) {
    DenialLog log = new DenialLog(digest, metrics);
    log.thread.start();
    return log;
  }

  /**
   * Queues a line if the result is a denial because of a limit.
   *
   * @param traceParent the header field of the request with its trace, if it has one
   */
  public void decided(LimitCheck check, RateLimitResult result, @Nullable String traceParent) {
    if (denials.wants(result)
        && !queue.offer(new Denial(path(check), result, TraceContext.parse(traceParent)))) {
      metrics.eventDropped();
    }
  }

  /** Returns the part of the path that is logged, or null if there is no path. */
  private static @Nullable String path(LimitCheck check) {
    String path =
        check instanceof LimitCheck.OfRequest ofRequest ? ofRequest.request().pathOrNull() : null;
    return path == null || path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH);
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Denial next = queue.take();
        try {
          trace = next.trace;
          RequestContext request = RequestContext.builder().path(next.path).build();
          denials.decided(LimitCheck.ofRequest(request), next.result, List.of());
        } catch (RuntimeException | Error e) {
          // Also an Error: the next line may succeed.
          LOG.error("a denial could not be logged", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(LimitExceeded event) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    if (!limit.allowsLine()) {
      return;
    }
    Line line = new Line();
    line.add("reason", event.reason());
    event.ruleSetId().ifPresent(set -> line.add("ruleSetId", set));
    event.band().ifPresent(band -> line.add("band", band));
    event.ruleId().ifPresent(rule -> line.add("ruleId", rule));
    event.plan().ifPresent(plan -> line.add("plan", plan));
    event.identityDigest().ifPresent(digest -> line.add("identity", digest));
    event.path().ifPresent(path -> line.add("path", printable(path)));
    event.retryAfterMs().ifPresent(millis -> line.add("retryAfterMs", millis));
    if (event.degraded()) {
      line.add("degraded", true);
    }
    long leftOut = limit.takeLeftOut();
    if (leftOut > 0) {
      line.add("notLogged", leftOut);
    }
    line.log(trace);
  }

  /** A line: its words for the text log, and the same as fields for the JSON log. */
  private static final class Line {
    private final StringBuilder text = new StringBuilder("denied");
    private LoggingEventBuilder event = LOG.atInfo();

    void add(String name, Object value) {
      text.append(' ').append(name).append('=').append(value);
      event = event.addKeyValue(name, value);
    }

    void log(@Nullable TraceContext trace) {
      if (trace != null) {
        text.append(trace.text());
        event = trace.addTo(event);
      }
      event.log(text.toString());
    }
  }

  /** Replaces special characters: callers choose paths and must not be able to forge log lines. */
  private static String printable(String path) {
    StringBuilder text = new StringBuilder();
    path.chars()
        .forEach(c -> text.append(c <= ' ' || c == '"' || c == '\\' || c > '~' ? '?' : (char) c));
    return text.toString();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
