package dev.redline.core.limit;

import dev.redline.core.internal.limit.DurationText;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Limits in one line: {@code 10/s}, {@code 100/10s}, {@code 10/s burst 20}. */
final class LimitParser {
  private static final Pattern LIMIT =
      Pattern.compile("([0-9]+)\\s*/\\s*(\\S+)(?:\\s+(?i:burst)\\s+([0-9]+))?");

  /** A long holds every number of so many digits, and the sum of two. */
  private static final int MAX_DIGITS = 18;

  private LimitParser() {}

  static RateLimitBand parse(@Nullable String text, Algorithm algorithm) {
    Matcher matcher = LIMIT.matcher(text == null ? "" : text.strip());
    if (text == null || !matcher.matches()) {
      throw new IllegalArgumentException(
          "limit must be N/PERIOD [burst B], such as 10/s or 100/10s burst 5, was '" + text + "'");
    }
    long tokens = number(text, "N", matcher.group(1));
    if (tokens == 0) {
      throw new IllegalArgumentException(
          "limit must allow at least 1, was '"
              + text
              + "'; to deny all, use a rule with action DENY");
    }
    boolean bursts = matcher.group(3) != null;
    long burst = bursts ? number(text, "B", matcher.group(3)) : 0;
    if (bursts && algorithm != Algorithm.TOKEN_BUCKET) {
      throw new IllegalArgumentException(
          "burst has no meaning for " + algorithm + ", was '" + text + "'; leave it out");
    }
    RateLimitBand.Builder band = RateLimitBand.builder().algorithm(algorithm);
    period(text, matcher.group(2), band);
    try {
      return bursts
          ? band.capacity(tokens + burst).refillTokens(tokens).build()
          : band.capacity(tokens).build();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("limit '" + text + "': " + e.getMessage(), e);
    }
  }

  private static long number(String limit, String what, String digits) {
    if (digits.length() > MAX_DIGITS) {
      throw new IllegalArgumentException(
          "limit '" + limit + "': " + what + " must be at most " + RateLimitBand.MAX_TOKENS);
    }
    return Long.parseLong(digits);
  }

  private static void period(String limit, String text, RateLimitBand.Builder band) {
    boolean unitAlone =
        text.equals("s") || text.equals("m") || text.equals("h") || text.equals("d");
    Duration period;
    try {
      period = DurationText.parse(unitAlone ? "1" + text : text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "limit '" + limit + "': PERIOD must be s, m, h, d or a duration such as 10s", e);
    }
    try {
      band.period(period);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("limit '" + limit + "': " + e.getMessage(), e);
    }
  }
}
