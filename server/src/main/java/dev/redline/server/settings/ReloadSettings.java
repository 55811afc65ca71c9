package dev.redline.server.settings;

import dev.redline.core.internal.settings.PropertyReader;
import java.time.Duration;
import java.util.Optional;

/**
 * How rule changes are noticed.
 *
 * @param enabled whether rule sources are read again after the start
 * @param strategy how changes are noticed; each source has its own way unless set
 * @param pollingInterval how often all sources are read
 * @param resetBuckets whether changed limits start with full buckets
 */
public record ReloadSettings(
    boolean enabled, Optional<Strategy> strategy, Duration pollingInterval, boolean resetBuckets) {
  private static final String STRATEGY = "rl.reload.strategy";

  /** How a change of rules is noticed; sources are polled as well. */
  public enum Strategy {
    /** By events of the file system. */
    WATCH,
    /** By polling alone. */
    POLLING,
    /** By messages that are published in Redis with every change. */
    REDIS_PUBSUB
  }

  static ReloadSettings read(PropertyReader from, RuleSourceSettings config) {
    return new ReloadSettings(
        from.property("rl.reload.enabled", "false: rules are loaded once, at the start").bool(true),
        strategy(from, config),
        from.property("rl.reload.polling-interval", "how often all sources are read in any case")
            .duration(Duration.ofSeconds(30)),
        from.property(
                "rl.reload.reset-buckets-on-reload",
                "false: tokens taken under the old limits count under the new ones")
            .bool(true));
  }

  private static Optional<Strategy> strategy(PropertyReader from, RuleSourceSettings config) {
    Optional<Strategy> strategy =
        from.property(
                STRATEGY,
                "`POLLING` turns watching and notices off; `WATCH` (files) and `REDIS_PUBSUB`"
                    + " (`REDIS`) are what the sources do anyway")
            .unlessSet("each source its own")
            .choice(Strategy.class);
    boolean redis = config.sources().contains(RuleSourceSettings.Source.REDIS);
    if (strategy.equals(Optional.of(Strategy.REDIS_PUBSUB)) && !redis) {
      from.problem(STRATEGY, "REDIS_PUBSUB", "only rl.config.source REDIS publishes notices");
    } else if (strategy.equals(Optional.of(Strategy.WATCH)) && !config.readsFiles()) {
      from.problem(STRATEGY, "WATCH", "only rl.config.source FILE and CONFIG_MAP are watched");
    }
    return strategy;
  }
}
