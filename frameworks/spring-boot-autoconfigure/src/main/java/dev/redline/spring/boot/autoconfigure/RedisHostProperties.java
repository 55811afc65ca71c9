package dev.redline.spring.boot.autoconfigure;

import java.util.Map;

/** Finds {@code rl.redis.*} properties in the application's own Redis configuration. */
@FunctionalInterface
interface RedisHostProperties {
  /** Returns the properties; empty if the application has no Redis client. */
  Map<String, String> find();
}
