package dev.redline.bench.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RRateLimiter, one object per key kept for the whole run. */
final class RedissonOnRedis implements Client {
  private static final int TIMEOUT_MILLIS = 10_000;

  /** Redisson stores each permit until the period ends, so the period must be short here. */
  private static final Duration SHORT = Duration.ofSeconds(1);

  private static final Duration LONG = Duration.ofHours(1);

  private final RedissonClient client;

  RedissonOnRedis(String uri) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri).setTimeout(TIMEOUT_MILLIS);
    client = Redisson.create(config);
  }

  @Override
  public Limiter limiter(BucketPopulation population) {
    return new Buckets(population);
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private final class Buckets implements Limiter {
    private final RRateLimiter[] limiters;

    Buckets(BucketPopulation population) {
      Duration period = population.mix() == BucketPopulation.Mix.ALLOW ? SHORT : LONG;
      limiters = new RRateLimiter[population.keys()];
      CompletableFuture<?>[] sent = new CompletableFuture<?>[limiters.length];
      for (int i = 0; i < limiters.length; i++) {
        RRateLimiter limiter = client.getRateLimiter("redisson:" + population.name(i));
        limiters[i] = limiter;
        sent[i] =
            limiter
                .trySetRateAsync(RateType.OVERALL, population.capacity(), period)
                .thenCompose(done -> limiter.tryAcquireAsync(1))
                .toCompletableFuture();
      }
      CompletableFuture.allOf(sent).join();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the outcome
    public void acquire(int i, Callback callback) {
      limiters[i]
          .tryAcquireAsync(1)
          .whenComplete(
              (passed, failure) -> callback.onDecision(failure == null && passed, failure));
    }

    @Override
    public boolean acquireAndWait(int i) {
      return limiters[i].tryAcquire(1);
    }
  }
}
