package dev.redline.bench.faults;

import dev.redline.core.rule.OnStoreFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What callers noticed of a fault.
 *
 * @param fault which
 * @param decisions how many there were
 * @param degraded how many of them the shared store did not make
 * @param wrong decisions that the rule's strategy does not allow, in words
 * @param escaped what a caller was thrown, if anything
 * @param slowest the longest any decision took, from the fault on
 * @param machineStall the longest the machine kept even an idle thread from running meanwhile
 * @param p99BeforeOpen the 99th percentile of the time from the fault until the breaker opened
 * @param p99AfterOpen the same from then until the fault was over
 * @param toOpen how long after the first failed decision the breaker opened; empty if it did not
 * @param toRecover how long after the fault the last caller noticed it; empty if it never ended
 * @param mostAdmittedLocally the most any one bucket of the fallback let through
 * @param affected how many of the callers noticed anything
 * @param outage from the fault until the last caller noticed it
 * @param history what the history checker says
 */
public record DrillReport(
    Fault fault,
    int decisions,
    int degraded,
    List<String> wrong,
    Optional<Throwable> escaped,
    Duration slowest,
    Duration machineStall,
    Duration p99BeforeOpen,
    Duration p99AfterOpen,
    Optional<Duration> toOpen,
    Optional<Duration> toRecover,
    int mostAdmittedLocally,
    int affected,
    Duration outage,
    String history) {
  static final long NEVER = Long.MAX_VALUE;

  static DrillReport of(
      Fault fault,
      List<ObservedDecision> told,
      @Nullable Throwable escaped,
      String history,
      long machineStall,
      long struck,
      long opened,
      long healed,
      long back) {
    long firstFailure =
        told.stream()
            .filter(one -> one.degraded())
            .mapToLong(ObservedDecision::endNanos)
            .min()
            .orElse(struck);
    long end = opened == NEVER ? healed : opened;
    return new DrillReport(
        fault,
        told.size(),
        (int) told.stream().filter(ObservedDecision::degraded).count(),
        told.stream().filter(one -> !one.fits()).map(ObservedDecision::toString).limit(10).toList(),
        Optional.ofNullable(escaped),
        Duration.ofNanos(
            told.stream()
                .filter(one -> one.startNanos() - struck >= 0)
                .mapToLong(ObservedDecision::latencyNanos)
                .max()
                .orElse(0)),
        Duration.ofNanos(machineStall),
        p99(told, struck, end),
        p99(told, end, healed),
        opened == NEVER
            ? Optional.empty()
            : Optional.of(Duration.ofNanos(Math.max(0, opened - firstFailure))),
        back == NEVER ? Optional.empty() : Optional.of(Duration.ofNanos(back - healed)),
        mostAdmittedLocally(told),
        (int)
            told.stream()
                .filter(one -> one.degraded() && one.startNanos() - struck >= 0)
                .mapToInt(ObservedDecision::caller)
                .distinct()
                .count(),
        Duration.ofNanos((back == NEVER ? healed : back) - struck),
        history);
  }

  private static Duration p99(List<ObservedDecision> told, long from, long to) {
    long[] latencies =
        told.stream()
            .filter(one -> one.startNanos() >= from && one.startNanos() < to)
            .mapToLong(ObservedDecision::latencyNanos)
            .sorted()
            .toArray();
    return Duration.ofNanos(
        latencies.length == 0 ? 0 : latencies[(int) Math.ceil(latencies.length * 0.99) - 1]);
  }

  private static int mostAdmittedLocally(List<ObservedDecision> told) {
    Map<Integer, Integer> byCaller = new HashMap<>();
    told.stream()
        .filter(one -> one.strategy() == OnStoreFailure.LOCAL)
        .filter(one -> one.degraded() && one.reason().allowed())
        .forEach(one -> byCaller.merge(one.caller(), 1, Integer::sum));
    return byCaller.values().stream().mapToInt(n -> n).max().orElse(0);
  }
}
