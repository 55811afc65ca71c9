package dev.redline.core.internal.limit;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 500ms}, {@code 1s}, {@code 1m}, {@code 24h}, ISO-8601. */
public final class DurationText {
  private static final Pattern SHORT = Pattern.compile("([0-9]{1,18})(ms|s|m|h|d)");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(?:\\.[0-9]+)?");

  private DurationText() {}

  /**
   * Returns the duration written as a whole number with {@code ms}, {@code s}, {@code m} (minutes),
   * {@code h} or {@code d}, or in ISO-8601.
   *
   * @throws IllegalArgumentException if it is neither; a bare number is not, since its unit would
   *     be a guess
   */
  public static Duration parse(String text) {
    String trimmed = text.strip();
    Matcher matcher = SHORT.matcher(trimmed);
    try {
      if (matcher.matches()) {
        return Duration.of(Long.parseLong(matcher.group(1)), unit(matcher.group(2)));
      }
      if (trimmed.startsWith("P") || trimmed.startsWith("p")) {
        return Duration.parse(trimmed);
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      throw new IllegalArgumentException(notADuration(text), e);
    }
    if (isBareNumber(trimmed)) {
      throw new IllegalArgumentException(
          "a duration needs a unit, such as "
              + trimmed
              + "s or "
              + trimmed
              + "ms, was '"
              + text
              + "'");
    }
    throw new IllegalArgumentException(notADuration(text));
  }

  /** Returns whether the text is a number without any unit. */
  public static boolean isBareNumber(String text) {
    return NUMBER.matcher(text.strip()).matches();
  }

  private static String notADuration(String text) {
    return "not a duration: '" + text + "'; write 500ms, 1s, 1m, 24h, 30d or ISO-8601";
  }

  private static ChronoUnit unit(String word) {
    return switch (word) {
      case "ms" -> ChronoUnit.MILLIS;
      case "s" -> ChronoUnit.SECONDS;
      case "m" -> ChronoUnit.MINUTES;
      case "h" -> ChronoUnit.HOURS;
      default -> ChronoUnit.DAYS;
    };
  }
}
