package dev.redline.assembly;

import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How rule changes are noticed.
 *
 * @param enabled whether rule sources are read again after the start
 * @param strategy how changes are noticed; each source has its own way unless set
 * @param pollingInterval how often sources are read that have no interval of their own
 * @param resetBuckets whether changed limits start with full buckets
 */
public record ReloadSettings(
    boolean enabled,
    Optional<ReloadStrategy> strategy,
    Duration pollingInterval,
    boolean resetBuckets) {
  private static final String STRATEGY = "rl.reload.strategy";

  static ReloadSettings read(
      PropertyReader from, RuleSourceSettings config, List<RuleSourceFactory> factories) {
    return new ReloadSettings(
        from.property("rl.reload.enabled", "false: rules are loaded once, at the start").bool(true),
        strategy(from, config, factories),
        from.property(
                "rl.reload.polling-interval",
                "how often sources without an interval of their own are read in any case")
            .duration(Duration.ofSeconds(30)),
        from.property(
                "rl.reload.reset-buckets-on-reload",
                "false: tokens taken under the old limits count under the new ones")
            .bool(true));
  }

  private static Optional<ReloadStrategy> strategy(
      PropertyReader from, RuleSourceSettings config, List<RuleSourceFactory> factories) {
    Optional<ReloadStrategy> strategy =
        from.property(
                STRATEGY,
                "`POLLING` turns watching and notices off; `WATCH` (files, MongoDB, Consul, Nacos, a"
                    + " server) and `REDIS_PUBSUB` (`REDIS`) are what the sources do anyway; for `MONGO`,"
                    + " `REDIS_PUBSUB` replaces change streams by notices in Redis")
            .unlessSet("each source its own")
            .choice(ReloadStrategy.class);
    if (strategy.isPresent() && !isPossible(strategy.get(), config)) {
      from.problem(STRATEGY, strategy.get().name(), allowed(strategy.get(), factories));
    }
    return strategy;
  }

  private static boolean isPossible(ReloadStrategy strategy, RuleSourceSettings config) {
    return strategy == ReloadStrategy.POLLING
        || config.sources().stream().anyMatch(source -> source.strategies().contains(strategy));
  }

  private static String allowed(ReloadStrategy strategy, List<RuleSourceFactory> factories) {
    String able =
        factories.stream()
            .filter(factory -> factory.strategies().contains(strategy))
            .map(RuleSourceFactory::name)
            .collect(Collectors.joining(", "));
    String what =
        strategy == ReloadStrategy.REDIS_PUBSUB ? "can have notices in Redis" : "can be watched";
    return able.isEmpty()
        ? "no source " + what
        : "of the values of rl.config.source, only " + able + " " + what;
  }
}
