package dev.redline.server.management;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;
import java.util.Set;
import java.util.stream.DoubleStream;

/**
 * Gives the timers of requests, checks and store calls a histogram, so that percentiles over all
 * nodes can be computed. The buckets are fixed: from 50 µs, because a decision in memory takes
 * less, to 10 s, which no request takes. Stores in memory have none: their time is a part of the
 * check's, and recording it would cost more than the decision.
 */
final class LatencyHistograms implements MeterFilter {
  private static final Set<String> TIMERS =
      Set.of("http.server.requests", "ratelimit.check", "ratelimit.store");

  private static final Set<String> STORES_IN_MEMORY = Set.of("local", "caffeine");

  private static final double[] BUCKET_MILLIS = {
    0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000
  };

  private static final DistributionStatisticConfig BUCKETS =
      DistributionStatisticConfig.builder()
          .serviceLevelObjectives(
              DoubleStream.of(BUCKET_MILLIS)
                  .map(millis -> millis * Duration.ofMillis(1).toNanos())
                  .toArray())
          .build();

  @Override
  public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
    String store = id.getTag("store");
    return TIMERS.contains(id.getName()) && (store == null || !STORES_IN_MEMORY.contains(store))
        ? BUCKETS.merge(config)
        : config;
  }
}
