package dev.redline.bench.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Loads a program until its processor time per decision no longer falls. Until then the JIT
 * compiler is at work, and its time would be counted as that of decisions. A fixed time is not
 * enough: how long it takes depends on the program and on the machine.
 */
final class WarmUp {
  /** How many windows the least time of a warm-up has, and how many there are at most. */
  private static final int LEAST_WINDOWS = 5;

  private static final int MOST_WINDOWS = 30;

  /** How many windows must bring no improvement, and what counts as one. */
  private static final int STEADY_WINDOWS = 3;

  private static final double IMPROVEMENT = 0.05;

  private WarmUp() {}

  /** Keeps requests unanswered on each connection, at least for a time and at most six times it. */
  static void run(ServerProcess server, HttpLoad load, int outstanding, Duration least)
      throws InterruptedException {
    List<Double> micros = new ArrayList<>();
    while (!isOver(micros)) {
      long before = server.cpuTime().toNanos();
      long decisions = load.closed(outstanding, window(least)).allowed();
      micros.add((server.cpuTime().toNanos() - before) / 1000.0 / decisions);
    }
  }

  /** Returns the time of each window of a warm-up that takes at least some time. */
  static Duration window(Duration least) {
    return least.dividedBy(LEAST_WINDOWS);
  }

  /** Returns whether a warm-up is over whose windows had these processor times per decision. */
  static boolean isOver(List<Double> micros) {
    return micros.size() >= LEAST_WINDOWS && (micros.size() >= MOST_WINDOWS || isSteady(micros));
  }

  /** Returns whether the last windows were no better than those before. */
  private static boolean isSteady(List<Double> micros) {
    int earlier = micros.size() - STEADY_WINDOWS;
    return earlier > 0
        && Collections.min(micros.subList(earlier, micros.size()))
            >= (1 - IMPROVEMENT) * Collections.min(micros.subList(0, earlier));
  }
}
