package dev.redline.core.spi;

/** How a change of rules is noticed: {@code rl.reload.strategy}. Sources are polled as well. */
public enum ReloadStrategy {
  /** By the source itself: events of the file system, or a request that waits for a change. */
  WATCH,
  /** By polling alone. */
  POLLING,
  /** By messages that are published in Redis with every change. */
  REDIS_PUBSUB
}
