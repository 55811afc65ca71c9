package dev.redline.core.spi;

import java.util.Optional;
import java.util.Set;

/** Creates a rule source that {@code rl.config.source} names. */
public interface RuleSourceFactory extends PluginFactory<ConfigProvider> {
  /**
   * Returns whether its documents are deployed with the application, as files are. Then the start
   * fails without a valid document, and {@code ${NAME}} in a document stands for an environment
   * variable. The documents of other sources may come later.
   */
  default boolean deployed() {
    return false;
  }

  /**
   * Returns the name of a property that, if it is set, replaces {@code rl.missing-rule-behavior}
   * where this source is used, such as {@code rl.nacos.fail-policy}. It is read for the factory.
   */
  default Optional<String> failPolicy() {
    return Optional.empty();
  }

  /**
   * Returns the ways in which this source notices a change, for {@code rl.reload.strategy}: polling
   * is always possible.
   */
  default Set<ReloadStrategy> strategies() {
    return Set.of(ReloadStrategy.POLLING);
  }

  /** How a change of rules is noticed: {@code rl.reload.strategy}. Sources are polled as well. */
  enum ReloadStrategy {
    /** By the source itself: events of the file system, or a request that waits for a change. */
    WATCH,
    /** By polling alone. */
    POLLING,
    /** By messages that are published in Redis with every change. */
    REDIS_PUBSUB
  }
}
