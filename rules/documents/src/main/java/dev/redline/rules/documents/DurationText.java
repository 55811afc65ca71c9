package dev.redline.rules.documents;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as rule documents write them: {@code 500ms}, {@code 1s}, {@code 1m}, ISO-8601. */
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
      throw notADuration(text, Optional.empty(), e);
    }
    if (NUMBER.matcher(trimmed).matches()) {
      throw new MisspeltException(
          "a duration needs a unit, such as "
              + trimmed
              + "s or "
              + trimmed
              + "ms, was '"
              + text
              + "'",
          Optional.of(trimmed + "s"));
    }
    throw notADuration(text, closest(trimmed), null);
  }

  private static MisspeltException notADuration(
      String text, Optional<String> suggestion, @Nullable Throwable cause) {
    MisspeltException exception =
        new MisspeltException(
            "not a duration: '" + text + "'; write 500ms, 1s, 1m, 24h, 30d or ISO-8601",
            suggestion);
    if (cause != null) {
      exception.initCause(cause);
    }
    return exception;
  }

  private static Optional<String> closest(String text) {
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    String number = text.substring(0, digits);
    return digits == 0 ? Optional.empty() : unitMeant(text.substring(digits)).map(number::concat);
  }

  /** Returns the unit for the words people write in its place. */
  static Optional<String> unitMeant(String word) {
    return switch (word.strip().toLowerCase(Locale.ROOT)) {
      case "ms", "msec", "milli", "millis", "millisecond", "milliseconds" -> Optional.of("ms");
      case "s", "sec", "secs", "second", "seconds" -> Optional.of("s");
      case "m", "min", "mins", "minute", "minutes" -> Optional.of("m");
      case "h", "hr", "hrs", "hour", "hours" -> Optional.of("h");
      case "d", "day", "days" -> Optional.of("d");
      default -> Optional.empty();
    };
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

  /** Returns a text that {@link #parse} reads as the same duration. */
  static String format(Duration duration) {
    if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
      return duration.toString();
    }
    if (duration.toMillisPart() != 0) {
      return duration.toMillis() + "ms";
    }
    long seconds = duration.toSeconds();
    if (seconds % 86_400 == 0) {
      return seconds / 86_400 + "d";
    }
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }
}
