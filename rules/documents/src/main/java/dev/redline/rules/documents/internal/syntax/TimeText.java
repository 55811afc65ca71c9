package dev.redline.rules.documents.internal.syntax;

import java.time.DateTimeException;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** Checks times, which are kept as they were written: an ISO-8601 date, with a time or without. */
public final class TimeText {
  private static final List<DateTimeFormatter> FORMATS =
      List.of(DateTimeFormatter.ISO_DATE_TIME, DateTimeFormatter.ISO_DATE);

  /** Milliseconds since 1970, as databases export them. */
  private static final String EPOCH_MILLIS = "-?[0-9]{1,15}";

  private TimeText() {}

  /**
   * Returns the text.
   *
   * @throws IllegalArgumentException if it is no time
   */
  public static String check(String field, String text) {
    if (text.matches(EPOCH_MILLIS) || FORMATS.stream().anyMatch(format -> parses(format, text))) {
      return text;
    }
    throw new IllegalArgumentException(
        field + " must be a time such as 2026-11-16T12:00:00Z, was '" + text + "'");
  }

  private static boolean parses(DateTimeFormatter format, String text) {
    try {
      format.parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }
}
