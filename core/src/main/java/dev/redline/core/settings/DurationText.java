package dev.redline.core.settings;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 1s}, {@code 1m}, {@code 24h}, ISO-8601. */
public final class DurationText {
  private static final Pattern SIMPLE =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?)\\s*([a-zA-Zµ]+)");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");

  private DurationText() {}

  /**
   * Returns the duration, or throws an {@link IllegalArgumentException} that says what is wrong.
   */
  public static Duration parse(String text) {
    String trimmed = text.trim();
    Matcher simple = SIMPLE.matcher(trimmed);
    if (simple.matches()) {
      BigDecimal nanos = new BigDecimal(simple.group(1)).multiply(unit(text, simple.group(2)));
      try {
        return Duration.ofNanos(nanos.longValueExact());
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException("duration '" + text + "' is too long or too fine", e);
      }
    }
    if (NUMBER.matcher(trimmed).matches()) {
      throw new IllegalArgumentException(
          "duration '" + text + "' has no unit; write " + trimmed + "s or " + trimmed + "ms");
    }
    try {
      return Duration.parse(trimmed.toUpperCase(Locale.ROOT));
    } catch (DateTimeParseException e) {
      throw notADuration(text);
    }
  }

  private static BigDecimal unit(String text, String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "us", "µs" -> 1_000L;
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          case "d" -> 86_400_000_000_000L;
          default -> throw notADuration(text);
        });
  }

  private static IllegalArgumentException notADuration(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a duration; write 500ms, 1s, 1m (minutes), 24h, 30d or ISO-8601");
  }
}
