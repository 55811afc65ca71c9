package dev.redline.rules.documents.internal.linting;

import dev.redline.rules.documents.internal.problem.ProblemLocation;

/**
 * Bounds the time for warnings: the number of pairs of bands, paths and rules grows with the square
 * of their number.
 */
final class ComparisonBudget {
  private static final long MAX_COMPARISONS = 5_000_000;

  private long left = MAX_COMPARISONS;

  /**
   * Returns whether so many comparisons may be made. The first time they may not, this is reported
   * as a warning; after that none may.
   */
  boolean spend(long comparisons, ProblemLocation location, int line) {
    if (isSpent()) {
      return false;
    }
    left -= comparisons;
    if (isSpent()) {
      location.warning(
          line,
          "not all limits, paths and rules were compared from here on, because there are too many;"
              + " some of them may have no effect");
    }
    return !isSpent();
  }

  boolean isSpent() {
    return left < 0;
  }
}
