package dev.redline.bench.redis;

/** A contender's connection to Redis, shared by all its limiters. */
interface Client extends AutoCloseable {
  /** Returns a limiter with a bucket for every key, each used once. */
  Limiter limiter(BucketPopulation population);

  @Override
  void close();
}
