package dev.redline.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.ConfigurationBuilder;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.RemoteAsyncBucketBuilder;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Bucket4j on Lettuce, one proxy per key kept for the whole run, which is what batching needs. */
final class Bucket4jOnRedis implements Client {
  private final RedisClient client;
  private final RemoteAsyncBucketBuilder<byte[]> builder;
  private final String prefix;

  Bucket4jOnRedis(String uri, boolean batching) {
    client = RedisClient.create(RedisURI.create(uri));
    AsyncProxyManager<byte[]> manager =
        Bucket4jLettuce.casBasedBuilder(client)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(1)))
            .build()
            .asAsync();
    builder =
        batching ? manager.builder().withOptimization(Optimizations.batching()) : manager.builder();
    prefix = batching ? "bucket4j-batching:" : "bucket4j:";
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
    private final AsyncBucketProxy[] buckets;

    Buckets(BucketPopulation population) {
      BucketConfiguration configuration = configuration(population);
      buckets = new AsyncBucketProxy[population.keys()];
      CompletableFuture<?>[] sent = new CompletableFuture<?>[buckets.length];
      for (int i = 0; i < buckets.length; i++) {
        buckets[i] =
            builder.build(
                (prefix + population.name(i)).getBytes(StandardCharsets.UTF_8),
                () -> CompletableFuture.completedFuture(configuration));
        sent[i] = buckets[i].tryConsume(1);
      }
      CompletableFuture.allOf(sent).join();
    }

    private static BucketConfiguration configuration(BucketPopulation population) {
      ConfigurationBuilder limits = BucketConfiguration.builder();
      for (int b = 0; b < population.bands(); b++) {
        Duration period = Duration.ofSeconds(population.periodSeconds(b));
        limits.addLimit(
            limit ->
                limit.capacity(population.capacity()).refillGreedy(population.refill(), period));
      }
      return limits.build();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the outcome
    public void acquire(int i, Callback callback) {
      buckets[i]
          .tryConsume(1)
          .whenComplete(
              (passed, failure) -> callback.onDecision(failure == null && passed, failure));
    }

    @Override
    public boolean acquireAndWait(int i) {
      return buckets[i].tryConsume(1).join();
    }
  }
}
