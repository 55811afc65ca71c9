package dev.redline.bench.faults;

import dev.redline.core.rule.OnStoreFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The effects of a fault on callers.
 *
 * @param fault the fault
 * @param decisions the number of decisions
 * @param degraded how many of them the shared store did not make
 * @param wrong decisions that the rule's strategy does not permit, as text
 * @param escaped an exception that a caller got, if any
 * @param slowest the longest time of a decision since the fault
 * @param machineStall the longest time since the fault in which an idle thread could not run
 * @param p99BeforeOpen the 99th percentile of latency from the fault until the breaker opened
 * @param p99AfterOpen the 99th percentile from then until the repair
 * @param toOpen the time from the first degraded decision until the breaker opened; empty if it did
 *     not open
 * @param toRecover the time from the repair to the last degraded decision; empty if there was no
 *     recovery
 * @param maxAllowedLocally the largest number of decisions that one fallback bucket allowed
 * @param affected how many callers had mostly degraded decisions during the fault; a machine that
 *     stands still degrades single decisions of all callers
 * @param outage the time from the fault to the last degraded decision
 * @param history the report of the history checker
 */
record DrillReport(
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
    int maxAllowedLocally,
    int affected,
    Duration outage,
    String history) {
  static final long NEVER = Long.MAX_VALUE;

  static DrillReport of(
      Fault fault,
      List<ObservedDecision> observed,
      @Nullable Throwable escaped,
      String history,
      long machineStall,
      long failedAt,
      long openedAt,
      long repairedAt,
      long recovered) {
    long firstFailure =
        observed.stream()
            .filter(one -> one.degraded())
            .mapToLong(ObservedDecision::endNanos)
            .min()
            .orElse(failedAt);
    long end = openedAt == NEVER ? repairedAt : openedAt;
    return new DrillReport(
        fault,
        observed.size(),
        (int) observed.stream().filter(ObservedDecision::degraded).count(),
        observed.stream()
            .filter(one -> !one.matchesStrategy())
            .map(ObservedDecision::toString)
            .limit(10)
            .toList(),
        Optional.ofNullable(escaped),
        Duration.ofNanos(
            observed.stream()
                .filter(one -> one.startNanos() - failedAt >= 0)
                .mapToLong(ObservedDecision::latencyNanos)
                .max()
                .orElse(0)),
        Duration.ofNanos(machineStall),
        p99(observed, failedAt, end),
        p99(observed, end, repairedAt),
        openedAt == NEVER
            ? Optional.empty()
            : Optional.of(Duration.ofNanos(Math.max(0, openedAt - firstFailure))),
        recovered == NEVER
            ? Optional.empty()
            : Optional.of(Duration.ofNanos(recovered - repairedAt)),
        maxAllowedLocally(observed),
        affected(observed, failedAt, repairedAt),
        Duration.ofNanos((recovered == NEVER ? repairedAt : recovered) - failedAt),
        history);
  }

  private static Duration p99(List<ObservedDecision> observed, long from, long to) {
    long[] latencies =
        observed.stream()
            .filter(one -> one.startNanos() >= from && one.startNanos() < to)
            .mapToLong(ObservedDecision::latencyNanos)
            .sorted()
            .toArray();
    return Duration.ofNanos(
        latencies.length == 0 ? 0 : latencies[(int) Math.ceil(latencies.length * 0.99) - 1]);
  }

  private static int affected(List<ObservedDecision> observed, long from, long to) {
    Map<Integer, Integer> degradedMinusNormal = new HashMap<>();
    observed.stream()
        .filter(one -> one.startNanos() - from >= 0 && one.startNanos() - to < 0)
        .forEach(
            one -> degradedMinusNormal.merge(one.caller(), one.degraded() ? 1 : -1, Integer::sum));
    return (int) degradedMinusNormal.values().stream().filter(balance -> balance > 0).count();
  }

  private static int maxAllowedLocally(List<ObservedDecision> observed) {
    Map<Integer, Integer> byCaller = new HashMap<>();
    observed.stream()
        .filter(one -> one.strategy() == OnStoreFailure.LOCAL)
        .filter(one -> one.degraded() && one.reason().allowed())
        .forEach(one -> byCaller.merge(one.caller(), 1, Integer::sum));
    return byCaller.values().stream().mapToInt(n -> n).max().orElse(0);
  }
}
