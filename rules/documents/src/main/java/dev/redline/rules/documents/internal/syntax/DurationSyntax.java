package dev.redline.rules.documents.internal.syntax;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** Durations as rule documents write them: {@code 500ms}, {@code 1s}, {@code 1m}, ISO-8601. */
public final class DurationSyntax {
  private DurationSyntax() {}

  /**
   * Returns the duration written as a whole number with {@code ms}, {@code s}, {@code m} (minutes),
   * {@code h} or {@code d}, or in ISO-8601.
   *
   * @throws IllegalArgumentException if it is neither; a bare number is not, since its unit would
   *     be a guess
   */
  public static Duration parse(String text) {
    try {
      return dev.redline.core.internal.limit.DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new MisspeltException(String.valueOf(e.getMessage()), meant(text.strip()));
    }
  }

  private static Optional<String> meant(String text) {
    return dev.redline.core.internal.limit.DurationText.isBareNumber(text)
        ? Optional.of(text + "s")
        : closest(text);
  }

  private static Optional<String> closest(String text) {
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    String number = text.substring(0, digits);
    return digits == 0 ? Optional.empty() : unitMeant(text.substring(digits)).map(number::concat);
  }

  /** Returns the unit for a common spelling of it, such as {@code sec}. */
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

  /** Returns a text that {@link #parse} reads as the same duration. */
  public static String format(Duration duration) {
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
