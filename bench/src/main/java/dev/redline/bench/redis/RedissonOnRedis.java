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

  /** It keeps every permit it gave until the period is over, so much traffic needs a short one. */
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
      CompletableFuture<?>[] asked = new CompletableFuture<?>[limiters.length];
      for (int i = 0; i < limiters.length; i++) {
        RRateLimiter limiter = client.getRateLimiter("redisson:" + population.name(i));
        limiters[i] = limiter;
        asked[i] =
            limiter
                .trySetRateAsync(RateType.OVERALL, population.capacity(), period)
                .thenCompose(done -> limiter.tryAcquireAsync(1))
                .toCompletableFuture();
      }
      CompletableFuture.allOf(asked).join();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the answer hears of everything
    public void ask(int i, Answer answer) {
      limiters[i]
          .tryAcquireAsync(1)
          .whenComplete((passed, failure) -> answer.told(failure == null && passed, failure));
    }

    @Override
    public boolean askNow(int i) {
      return limiters[i].tryAcquire(1);
    }
  }
}
