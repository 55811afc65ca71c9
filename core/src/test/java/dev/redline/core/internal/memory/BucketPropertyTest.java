package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

@Tag("properties")
class BucketPropertyTest {
  @Property(tries = 2000)
  void oneWordDecidesAsSeveralDo(
      @ForAll @LongRange(min = 1, max = 100_000) long capacity,
      @ForAll @LongRange(min = 1, max = 2400) long refill,
      @ForAll @LongRange(min = 1000, max = 10_000_019) long periodMicros,
      @ForAll @Size(60) @IntRange(min = -300_000, max = 3_000_000) int[] steps) {
    RateLimitBand band = RateLimitBand.of(capacity, refill, Duration.ofNanos(periodMicros * 1000));
    BucketLimits limits = Fixture.limits("r", band);
    Bucket created = Bucket.create(limits);
    assertThat(created).isInstanceOf(PackedBucket.class);
    PackedBucket packed = (PackedBucket) created;
    WideBucket wide = new WideBucket(limits);
    packed.open(limits, RuleResets.NONE);
    wide.open(limits, RuleResets.NONE);
    long now = Fixture.START;
    for (int step : steps) {
      now += step;
      long cost = 1 + Math.floorMod((long) step * 31, capacity + 1);
      long at = now;
      MicrosClock clock = () -> at;
      Acquisition acquisition =
          Acquisition.builder().take(Fixture.key(limits, "k"), cost).dryRun(step % 5 == 0).build();
      Outcome outcome = new Outcome();
      assertThat(packed.acquire(acquisition, clock, Fixture.START, outcome)).isTrue();
      long[] view = new long[BandArithmetic.VIEW_WORDS];
      boolean admitted = decide(wide, limits, now, cost, acquisition.dryRun(), view);
      assertThat(outcome.allowed()).isEqualTo(admitted);
      assertThat(outcome.views()).isEqualTo(view);
      assertThat(packed.microsToFull(limits, now, Fixture.START))
          .isEqualTo(wide.microsToFull(limits, now, Fixture.START));
    }
  }

  private static boolean decide(
      WideBucket bucket, BucketLimits limits, long now, long cost, boolean dryRun, long[] view) {
    assertThat(bucket.lock()).isTrue();
    if (bucket.view(limits, now, Fixture.START, view, 0) && !dryRun) {
      bucket.take(limits, now, Fixture.START, view, 0, 0);
    }
    boolean admitted = limits.band(0).admits(view, 0, cost);
    if (admitted && !dryRun) {
      bucket.take(limits, now, Fixture.START, view, 0, cost);
    }
    bucket.unlock();
    return admitted;
  }
}
