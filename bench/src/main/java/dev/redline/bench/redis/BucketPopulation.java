package dev.redline.bench.redis;

/**
 * The buckets that a load asks for. Every limiter gets the same ones.
 *
 * @param cluster whether they lie in the cluster instead of the single server
 * @param keys how many there are
 * @param bands how many limits each of them obeys
 * @param mix what the limits do to the load
 */
record BucketPopulation(boolean cluster, int keys, int bands, Mix mix) {
  /** What limits do to a load: refill is too slow to change it while it is measured. */
  enum Mix {
    /** Every bucket holds far more than the run can take. */
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

  /** How long each limit takes to give back {@link #refill} tokens, in seconds. */
  private static final int[] PERIODS = {1, 2, 10};

  long capacity() {
    return mix.capacity();
  }

  /** Returns how many tokens come back in a period. */
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
