package dev.redline.bench.local;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** Resilience4j's AtomicRateLimiter, one per key in a concurrent map, without waiting. */
final class Resilience4j implements KeyPopulation {
  private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  private final Keys keys;
  private final RateLimiterConfig config;

  Resilience4j(Keys keys, Mix mix) {
    this.keys = keys;
    this.config =
        RateLimiterConfig.custom()
            .limitForPeriod(mix.capacity())
            .limitRefreshPeriod(Duration.ofMinutes(mix.capacity()))
            .timeoutDuration(Duration.ZERO)
            .build();
    for (int i = 0; i < keys.size(); i++) {
      limiter(keys.stored(i)).acquirePermission();
    }
  }

  private RateLimiter limiter(String key) {
    RateLimiter limiter = limiters.get(key);
    return limiter != null
        ? limiter
        : limiters.computeIfAbsent(key, absent -> new AtomicRateLimiter(absent, config));
  }

  @Override
  public Caller caller() {
    return i -> limiter(keys.requested(i)).acquirePermission();
  }
}
