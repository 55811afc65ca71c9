package dev.redline.server.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** Logs requests that failed because of an error in the service, with their trace. */
public final class RequestFailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(RequestFailureLog.class);

  private RequestFailureLog() {}

  /**
   * Writes a line and the stack trace.
   *
   * @param traceParent the header field of the request with its trace, if it has one
   */
  public static void failed(@Nullable String traceParent, Throwable cause) {
    TraceContext trace = TraceContext.parse(traceParent);
    LoggingEventBuilder event = LOG.atError().setCause(cause);
    if (trace == null) {
      event.log("a request failed");
    } else {
      trace.addTo(event).log("a request failed" + trace.text());
    }
  }
}
