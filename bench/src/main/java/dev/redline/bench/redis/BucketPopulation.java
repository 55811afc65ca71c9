package dev.redline.bench.redis;

/**
 * The buckets of a load; the same for all limiters.
 *
 * @param cluster whether they are in the cluster instead of the single server
 * @param keys how many there are
 * @param bands how many bands each of them has
 * @param mix whether the limits allow or deny
 */
record BucketPopulation(boolean cluster, int keys, int bands, Mix mix) {
  /** Whether the limits allow or deny; refill is too slow to change that during a run. */
  enum Mix {
    /** Every bucket has far more tokens than the run can acquire. */
    ALLOW(1_000_000_000),
    /** Every bucket is empty after the first request. */
    DENY(1);

    private final long capacity;

    Mix(long capacity) {
      this.capacity = capacity;
    }

    long capacity() {
      return capacity;
    }
  }

  /** The period in which each band refills {@link #refill} tokens, in seconds. */
  private static final int[] PERIODS = {1, 2, 10};

  long capacity() {
    return mix.capacity();
  }

  /** Returns how many tokens are refilled in a period. */
  long refill() {
    return mix == Mix.ALLOW ? 1000 : 1;
  }

  /** Returns the period of a limit in seconds. */
  int periodSeconds(int band) {
    return mix == Mix.ALLOW ? PERIODS[band] : 3600;
  }

  /** Returns the name of key {@code i}. */
  String name(int i) {
    return "caller-" + mix.name().charAt(0) + bands + "-" + keys + "-" + i;
  }
}
