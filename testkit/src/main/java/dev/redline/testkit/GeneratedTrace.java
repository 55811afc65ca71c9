package dev.redline.testkit;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.math.BigInteger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Random traffic that a seed determines: bands, keys, costs, pauses, shadow keys and dry runs. */
final class GeneratedTrace {
  private static final long YEAR_MICROS = 366L * 86_400 * 1_000_000;
  private static final BigInteger CENTURY_MICROS =
      BigInteger.valueOf(RateLimitBand.MAX_TIME_TO_FULL.toSeconds() * 1_000_000);
  private static final int OWNERS = 3;
  private static final int STEPS = 60;
  private static final int STEPS_IN_REAL_TIME = 20;

  private final CheckedStore store;
  private final SplittableRandom random;
  private final List<BucketLimits> owners = new ArrayList<>();
  private final StringBuilder description = new StringBuilder();
  private Duration pause = Duration.ZERO;

  GeneratedTrace(CheckedStore store, long seed) {
    this.store = store;
    this.random = new SplittableRandom(seed);
    for (int i = 0; i < OWNERS; i++) {
      RateLimitBand[] bands = new RateLimitBand[1 + random.nextInt(3) * random.nextInt(2)];
      for (int b = 0; b < bands.length; b++) {
        bands[b] = band();
      }
      owners.add(CheckedStore.rule("rule-" + i, bands));
      description.append(List.of(bands)).append('\n');
    }
  }

  void play() {
    int steps = store.hasManualClock() ? STEPS : STEPS_IN_REAL_TIME;
    for (int i = 0; i < steps; i++) {
      step();
    }
  }

  private void step() {
    Duration time = time();
    store.advance(time);
    Acquisition acquisition = acquisition();
    description.append("after ").append(time);
    for (int i = 0; i < acquisition.size(); i++) {
      description
          .append(acquisition.shadow(i) ? " shadow " : " ")
          .append(acquisition.cost(i))
          .append(" of ")
          .append(acquisition.key(i).limits().ownerId());
    }
    description.append(acquisition.dryRun() ? " dry\n" : "\n");
    Decision decision = store.acquire(acquisition);
    boolean aboveCapacity = acquisition.cost(0) > acquisition.key(0).limits().band(0).capacity();
    pause = aboveCapacity ? Duration.ZERO : decision.await();
    if (random.nextInt(10) == 0) {
      store.evict();
    }
  }

  private Duration time() {
    if (!store.hasManualClock()) {
      return Duration.of(random.nextLong(3000), ChronoUnit.MICROS);
    }
    BucketLimits limits = owners.get(random.nextInt(OWNERS));
    long horizon = limits.band(0).horizonMicros();
    long micros =
        switch (random.nextInt(8)) {
          case 0, 1 -> 0;
          case 2 -> 1;
          case 3 -> random.nextLong(2000);
          case 4 -> random.nextLong(horizon / 20 + 1);
          case 5 -> pause.toNanos() / 1000;
          case 6 -> Math.max(0, pause.toNanos() / 1000 - 1);
          default -> random.nextLong(Math.min(horizon + 1, YEAR_MICROS));
        };
    return Duration.of(Math.min(micros, YEAR_MICROS / 10), ChronoUnit.MICROS);
  }

  private Acquisition acquisition() {
    Acquisition.Builder builder = Acquisition.builder().dryRun(random.nextInt(6) == 0);
    int first = random.nextInt(OWNERS);
    int keys = random.nextInt(3) == 0 ? 1 + random.nextInt(OWNERS) : 1;
    for (int i = 0; i < keys; i++) {
      BucketLimits limits = owners.get((first + i) % OWNERS);
      RateLimitKey key = store.key(limits, Integer.toString(random.nextInt(2)));
      builder.add(key, cost(limits), random.nextInt(8) == 0);
    }
    return builder.build();
  }

  private long cost(BucketLimits limits) {
    long capacity = limits.band(random.nextInt(limits.size())).capacity();
    return switch (random.nextInt(6)) {
      case 0, 1 -> 1;
      case 2 -> 1 + random.nextLong(Math.min(10, capacity));
      case 3 -> 1 + random.nextLong(capacity);
      case 4 -> capacity;
      default -> Math.max(1, capacity / 3);
    };
  }

  private RateLimitBand band() {
    long capacity = random.nextBoolean() ? 1 + random.nextLong(12) : tokens();
    long period = scaled(1000, YEAR_MICROS);
    RateLimitBand.Builder band =
        RateLimitBand.builder().capacity(capacity).period(Duration.of(period, ChronoUnit.MICROS));
    return switch (random.nextInt(4)) {
      case 0 -> RateLimitBand.slidingWindow(capacity, Duration.of(period, ChronoUnit.MICROS));
      case 1 -> RateLimitBand.fixedWindow(capacity, Duration.of(period, ChronoUnit.MICROS));
      case 2 -> band.refill(Refill.INTERVAL).refillTokens(refill(capacity, period)).build();
      default -> band.refillTokens(refill(capacity, period)).build();
    };
  }

  /** Returns a refill that fills the band within a century. */
  private long refill(long capacity, long period) {
    BigInteger least =
        BigInteger.valueOf(capacity)
            .multiply(BigInteger.valueOf(period))
            .divide(CENTURY_MICROS)
            .add(BigInteger.ONE);
    return Math.max(least.longValueExact(), tokens());
  }

  /** Returns a number of any order of magnitude, every other time a prime. */
  private long tokens() {
    long value = scaled(1, RateLimitBand.MAX_TOKENS - 100);
    return random.nextBoolean()
        ? value
        : BigInteger.valueOf(value).nextProbablePrime().longValueExact();
  }

  private long scaled(long least, long most) {
    double exponent = random.nextDouble() * Math.log((double) most / least);
    return Math.max(least, Math.min(most, (long) (least * Math.exp(exponent))));
  }

  @Override
  public String toString() {
    return description.toString();
  }
}
