package dev.redline.core.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BucketTest {
  private static final BucketLimits LIMITS = Fixture.limits("r", Fixture.perSecond(10));

  @Test
  void aBandWhoseUnitsExceedOneWordGetsSeveral() {
    long most = RateLimitBand.MAX_TOKENS;
    BucketLimits large =
        Fixture.limits("r", RateLimitBand.of(most, 999_999_999_989L, Duration.ofDays(366)));
    assertThat(Bucket.create(large)).isInstanceOf(WideBucket.class);
  }

  @Test
  void aBucketIsUsableFromOpeningToClosing() {
    Bucket bucket = Bucket.create(LIMITS);
    assertThat(bucket.lock()).isFalse();
    assertThat(bucket.closeIfFull(LIMITS, Fixture.START, Fixture.START)).isEqualTo(Long.MAX_VALUE);
    bucket.open(LIMITS, RuleResets.NONE);
    assertThat(bucket.lock()).isTrue();
    bucket.unlock();
    assertThat(bucket.closeIfNew()).isFalse();
    assertThat(bucket.isClosed()).isFalse();
    assertThat(bucket.closeIfFull(LIMITS, Fixture.START, Fixture.START)).isZero();
    assertThat(bucket.isClosed()).isTrue();
    assertThat(bucket.lock()).isFalse();
    assertThat(bucket.closeIfFull(LIMITS, Fixture.START, Fixture.START)).isZero();
  }

  @Test
  void aBucketClosedWhileNewCannotBeOpened() {
    Bucket bucket = Bucket.create(LIMITS);
    assertThat(bucket.closeIfNew()).isTrue();
    bucket.open(LIMITS, RuleResets.NONE);
    assertThat(bucket.lock()).isFalse();
  }

  @Test
  void lateWriterDoesNotUndoAnotherAcquisition() {
    AtomicLong now = new AtomicLong(Fixture.START);
    HashTableStore store = new HashTableStore(10, now::get, null);
    drain(store, now);
    // The clock of a thread that was overtaken: while it reads it, the other takes what there is.
    boolean[] overtaken = {true};
    PackedBucket bucket = (PackedBucket) store.peek(Fixture.key(LIMITS, "k"));
    now.addAndGet(5 * Fixture.SECOND);
    MicrosClock late =
        () -> {
          long before = now.get();
          if (overtaken[0]) {
            overtaken[0] = false;
            now.addAndGet(5 * Fixture.SECOND);
            drain(store, now);
          }
          return before;
        };
    Outcome outcome = new Outcome();
    Acquisition one = Acquisition.of(Fixture.key(LIMITS, "k"), 1);
    assertThat(bucket.acquire(one, late, Fixture.START, outcome)).isTrue();
    assertThat(outcome.allowed()).isFalse();
    assertThat(Fixture.drain(store, Fixture.key(LIMITS, "k"))).isZero();
  }

  private static void drain(HashTableStore store, AtomicLong now) {
    assertThat(now.get()).isPositive();
    Fixture.drain(store, Fixture.key(LIMITS, "k"));
  }
}
