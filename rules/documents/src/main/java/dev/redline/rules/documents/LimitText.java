package dev.redline.rules.documents;

import dev.redline.core.limit.Algorithm;
import dev.redline.core.limit.RateLimitBand;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits in one line: {@code 10/s}, {@code 100/10s}, {@code 10/s burst 5}. */
public final class LimitText {
  private static final Pattern LIMIT =
      Pattern.compile("([0-9]{1,18})\\s*/\\s*(\\S+)(?:\\s+(?i:burst)\\s+([0-9]{1,18}))?");
  private static final Pattern ALONE = Pattern.compile("[0-9]{1,18}");

  private LimitText() {}

  /**
   * Returns the token bucket that {@code N/PERIOD [burst B]} stands for: capacity N+B, N tokens
   * back per period, no label.
   *
   * @throws IllegalArgumentException if the text is not of that form or out of range
   */
  public static RateLimitBand parse(String text) {
    return parse(text, Algorithm.TOKEN_BUCKET);
  }

  /** Returns the band of the given algorithm that the text stands for; a window has no burst. */
  static RateLimitBand parse(String text, Algorithm algorithm) {
    Matcher matcher = LIMIT.matcher(text.strip());
    if (!matcher.matches()) {
      boolean number = ALONE.matcher(text.strip()).matches();
      throw new MisspeltException(
          "limit must be N/PERIOD [burst B], such as 10/s or 100/10s burst 5, was '" + text + "'",
          number ? Optional.of(text.strip() + "/s") : Optional.empty());
    }
    long tokens = Long.parseLong(matcher.group(1));
    if (tokens == 0) {
      throw new IllegalArgumentException(
          "limit must let at least 1 through, was '" + text + "'; to refuse all, say action: DENY");
    }
    RateLimitBand.Builder band = RateLimitBand.builder().algorithm(algorithm);
    try {
      band.period(DurationText.parse(period(matcher.group(2))));
    } catch (MisspeltException e) {
      throw new MisspeltException(
          "limit '" + text + "': PERIOD must be s, m, h, d or a duration such as 10s",
          suggestion(matcher));
    }
    String burst = matcher.group(3);
    if (burst == null) {
      return band.capacity(tokens).build();
    }
    if (algorithm != Algorithm.TOKEN_BUCKET) {
      throw new IllegalArgumentException(
          "burst has no meaning for " + algorithm + ", was '" + text + "'; leave it out");
    }
    return band.capacity(tokens + Long.parseLong(burst)).refillTokens(tokens).build();
  }

  private static String period(String text) {
    return switch (text) {
      case "s", "m", "h", "d" -> "1" + text;
      default -> text;
    };
  }

  private static Optional<String> suggestion(Matcher limit) {
    return DurationText.unitMeant(limit.group(2)).map(unit -> limit.group(1) + "/" + unit);
  }
}
