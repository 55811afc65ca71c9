package dev.redline.rules.documents.internal.syntax;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits in one line, as {@link RateLimitBand#parse} reads them, with what was probably meant. */
public final class LimitSyntax {
  private static final Pattern ALONE = Pattern.compile("[0-9]{1,18}");
  private static final Pattern WORDY = Pattern.compile("([0-9]{1,18})\\s*/\\s*(\\S+)(?:\\s.*)?");

  private LimitSyntax() {}

  /**
   * Returns the token bucket that {@code N/PERIOD [burst B]} describes: capacity N+B, N tokens back
   * per period, no label.
   *
   * @throws IllegalArgumentException if the text is not of that form or out of range
   */
  public static RateLimitBand parse(String text) {
    return parse(text, Algorithm.TOKEN_BUCKET);
  }

  /** Returns the band of the given algorithm that the text describes; a window has no burst. */
  public static RateLimitBand parse(String text, Algorithm algorithm) {
    try {
      return RateLimitBand.parse(text, algorithm);
    } catch (IllegalArgumentException e) {
      throw new MisspeltException(String.valueOf(e.getMessage()), meant(text.strip()));
    }
  }

  /** Returns the correction of a common mistake: {@code 10} and {@code 10/sec}. */
  private static Optional<String> meant(String text) {
    if (ALONE.matcher(text).matches()) {
      return Optional.of(text + "/s");
    }
    Matcher wordy = WORDY.matcher(text);
    return wordy.matches()
        ? DurationSyntax.unitMeant(wordy.group(2))
            .filter(unit -> !unit.equals(wordy.group(2)))
            .map(unit -> wordy.group(1) + "/" + unit)
        : Optional.empty();
  }
}
