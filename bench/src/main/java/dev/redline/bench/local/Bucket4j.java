package dev.redline.bench.local;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j, one bucket per key in a concurrent map, with the clock it has by default. */
final class Bucket4j implements KeyPopulation {
  private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final Keys keys;
  private final Mix mix;
  private final SynchronizationStrategy strategy;
  private final boolean probe;

  /**
   * Creates a bucket for every key.
   *
   * @param probe whether to request the numbers, too, instead of only allowed or denied
   */
  Bucket4j(Keys keys, Mix mix, SynchronizationStrategy strategy, boolean probe) {
    this.keys = keys;
    this.mix = mix;
    this.strategy = strategy;
    this.probe = probe;
    for (int i = 0; i < keys.size(); i++) {
      bucket(keys.stored(i)).tryConsume(1);
    }
  }

  private Bucket bucket(String key) {
    Bucket bucket = buckets.get(key);
    return bucket != null ? bucket : buckets.computeIfAbsent(key, absent -> create());
  }

  private Bucket create() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(mix.capacity()).refillGreedy(1, Duration.ofMinutes(1)))
        .withSynchronizationStrategy(strategy)
        .build();
  }

  @Override
  public Caller caller() {
    return probe ? i -> probe(keys.requested(i)) : i -> bucket(keys.requested(i)).tryConsume(1);
  }

  private boolean probe(String key) {
    ConsumptionProbe answer = bucket(key).tryConsumeAndReturnRemaining(1);
    boolean told = answer.getRemainingTokens() >= 0 && answer.getNanosToWaitForRefill() >= 0;
    return told && answer.isConsumed();
  }
}
