package dev.redline.bench.local;

import com.google.common.util.concurrent.RateLimiter;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Guava's RateLimiter, one per key in a concurrent map, without waiting. It has a rate and no
 * capacity, so the cells that allow use a rate far above the load.
 */
@SuppressWarnings("UnstableApiUsage")
final class Guava implements KeyPopulation {
  private static final double MORE_THAN_ANYBODY_ASKS = 1e9;
  private static final double ONE_PER_MINUTE = 1 / 60.0;

  private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  private final Keys keys;
  private final double rate;

  Guava(Keys keys, Mix mix) {
    this.keys = keys;
    this.rate = mix == Mix.ALLOW ? MORE_THAN_ANYBODY_ASKS : ONE_PER_MINUTE;
    for (int i = 0; i < keys.size(); i++) {
      var unused = limiter(keys.stored(i)).tryAcquire();
    }
  }

  private RateLimiter limiter(String key) {
    RateLimiter limiter = limiters.get(key);
    return limiter != null
        ? limiter
        : limiters.computeIfAbsent(key, absent -> RateLimiter.create(rate));
  }

  @Override
  public Caller caller() {
    return i -> limiter(keys.requested(i)).tryAcquire();
  }
}
