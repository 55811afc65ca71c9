package dev.redline.bench.redis;

/** A contender's connection to Redis, over which all its limiters ask. */
interface Client extends AutoCloseable {
  /** Returns a limiter that holds a bucket for every key, each asked once. */
  Limiter limiter(BucketPopulation population);

  @Override
  void close();
}
