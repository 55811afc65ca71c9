package dev.redline.bench;

import java.util.List;

/** Median and spread of the rounds of a benchmark. */
public final class Medians {
  private Medians() {}

  /** Returns the middle value; of an even number, the mean of the two in the middle. */
  public static double of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** Returns the range of the values, relative to their median. */
  public static double spread(List<Double> values) {
    double least = values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    double most = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    return (most - least) / of(values);
  }
}
