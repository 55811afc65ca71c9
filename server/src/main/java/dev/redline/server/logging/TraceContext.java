package dev.redline.server.logging;

import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The trace of a request, from its header field {@code traceparent} (W3C Trace Context).
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId the span of the caller, 16 hexadecimal digits
 */
public record TraceContext(String traceId, String spanId) {
  /** The name of the header field. */
  public static final String HEADER = "traceparent";

  private static final int LENGTH = 55;
  private static final int TRACE_START = 3;
  private static final int TRACE_END = 35;
  private static final int SPAN_START = 36;
  private static final int SPAN_END = 52;
  private static final int FLAGS_START = 53;

  /**
   * Returns the trace that a header field names, or null if it is absent or invalid. As the
   * specification demands, an invalid field counts as absent, and a field of a later version may be
   * longer.
   */
  public static @Nullable TraceContext parse(@Nullable String field) {
    if (field == null
        || field.length() < LENGTH
        || field.charAt(TRACE_START - 1) != '-'
        || field.charAt(TRACE_END) != '-'
        || field.charAt(SPAN_END) != '-'
        || !isHex(field, 0, TRACE_START - 1)
        || field.startsWith("ff")
        || !isHex(field, FLAGS_START, LENGTH)
        || !isId(field, TRACE_START, TRACE_END)
        || !isId(field, SPAN_START, SPAN_END)) {
      return null;
    }
    boolean longer = field.length() > LENGTH;
    if (longer && (field.startsWith("00") || field.charAt(LENGTH) != '-')) {
      return null;
    }
    return new TraceContext(
        field.substring(TRACE_START, TRACE_END), field.substring(SPAN_START, SPAN_END));
  }

  private static boolean isId(String text, int from, int to) {
    boolean zero = true;
    for (int i = from; i < to; i++) {
      zero &= text.charAt(i) == '0';
    }
    return !zero && isHex(text, from, to);
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
        return false;
      }
    }
    return true;
  }

  /** Returns the words that a line of the text log ends with. */
  String text() {
    return " traceId=" + traceId + " spanId=" + spanId;
  }

  /** Adds the fields of the JSON log, named as in the Elastic Common Schema. */
  LoggingEventBuilder addTo(LoggingEventBuilder event) {
    return event.addKeyValue("trace.id", traceId).addKeyValue("span.id", spanId);
  }
}
