package dev.redline.bench.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the figures of one row must reach, and which of that is missed. */
final class Bars {
  private final List<String> bars = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();

  /** Adds the largest ratio to another figure; a ratio that was not measured misses it. */
  Bars atMost(double bar, @Nullable Double ratio, String of) {
    bars.add("≤ " + two(bar) + " × " + of);
    if (ratio == null || ratio > bar) {
      missed.add(of + (ratio == null ? " not measured" : " " + two(ratio)));
    }
    return this;
  }

  /** Adds a condition in words. */
  Bars must(String bar, boolean holds, String otherwise) {
    bars.add(bar);
    if (!holds) {
      missed.add(otherwise);
    }
    return this;
  }

  boolean isMissed() {
    return !missed.isEmpty();
  }

  /** Returns all of them. */
  String text() {
    return String.join(", ", bars);
  }

  String verdict() {
    if (bars.isEmpty()) {
      return "";
    }
    return missed.isEmpty() ? "WIN" : "LOSS " + String.join(", ", missed);
  }

  static String two(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
