package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steady requests of one key, on a clock that the test sets, with a bucket instead of Redis. */
class LeaseRenewalTest implements LeaseAcquirer.Sender {
  private static final long MILLI = 1_000_000;
  private static final long TOKEN_NANOS = MILLI;
  private static final long ROUND_TRIP = 2 * MILLI;
  private static final long CAPACITY = 1_000_000;
  private static final RateLimitKey KEY =
      new RateLimitKey(
          Nodes.rule("r", RateLimitBand.of(CAPACITY, 1000, Duration.ofSeconds(1))), "somebody");
  private static final Acquisition ONE = Acquisition.of(KEY, 1);

  private final BucketKey.Maker maker =
      new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(SlotTags.COUNT_WITHOUT_CLUSTER));
  private final AtomicLong clock = new AtomicLong();
  private final Queue<LeaseRequest> sent = new ArrayDeque<>();
  private final Leases leases =
      new Leases(
          RedisSettings.of("redis://localhost").withLease(LeaseSettings.ON),
          new Generations(),
          LeaseRules.CURRENT,
          LeaseLog.NONE,
          clock::get,
          this,
          refunded -> {});
  private long fullAt;
  private long requested;
  private long trips;

  @Override
  public void send(LeaseRequest request) {
    request.sent(clock.get());
    requested++;
    sent.add(request);
  }

  @Override
  public BucketKey.Maker keysOrNull() {
    return maker;
  }

  /** Acquires from the bucket, which allows everything. */
  private Outcome acquire(long tokens, long nanos) {
    Outcome outcome = new Outcome();
    outcome.reset(1);
    long debt = Math.max(0, fullAt - nanos);
    fullAt = nanos + debt + tokens * TOKEN_NANOS;
    outcome.views()[0] = debt / 1000;
    outcome.pass(0);
    outcome.decide(true, nanos / 1000);
    return outcome;
  }

  private void replyUntil(long nanos) {
    for (LeaseRequest next = sent.peek();
        next != null && next.sentNanos() + ROUND_TRIP <= nanos;
        next = sent.peek()) {
      sent.remove();
      clock.set(next.sentNanos() + ROUND_TRIP);
      next.passed(next.runLength());
      next.complete(acquire(next.portion() * next.runLength(), next.sentNanos()));
    }
  }

  /** Makes requests at a steady pace. */
  private void request(long perSecond, Duration time) {
    long end = clock.get() + time.toNanos();
    for (long next = clock.get(); next < end; next += 1_000 * MILLI / perSecond) {
      replyUntil(next);
      clock.set(next);
      if (!leases.spend(ONE, new Outcome())) {
        trips++;
        leases.count(ONE, next);
        PendingAcquisition pending =
            new PendingAcquisition(ONE, maker, next, PendingAcquisition.Waiter.THREAD);
        pending.sent(next);
        leases.learn(pending, acquire(1, next), next);
      }
      leases.end().tick(next);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 200, 999, 1001, 5_000, 100_000})
  void busyKeyIsDecidedByLeasesOnly(long perSecond) {
    request(perSecond, Duration.ofMillis(500));
    trips = 0;
    requested = 0;
    request(perSecond, Duration.ofSeconds(2));
    assertThat(trips).isZero();
    assertThat(requested).as("requests in 2 s").isBetween(10L, 40L);
  }

  @Test
  void keyKeepsItsLeasesWhileItIsHalfAsBusy() {
    request(100, Duration.ofMillis(500));
    trips = 0;
    request(50, Duration.ofSeconds(2));
    assertThat(trips).isZero();
  }

  @Test
  void keyThatIsNotBusyIsNotLeased() {
    request(60, Duration.ofSeconds(2));
    assertThat(requested).isZero();
    assertThat(trips).isEqualTo(121);
  }

  @Test
  void takesNoMoreOfNearlyFullBucketThanRefillAddsInASpan() {
    request(100, Duration.ofSeconds(2));
    assertThat(fullAt - clock.get()).isBetween(20 * MILLI, (HotKeys.SPAN_MILLIS + 1) * MILLI);
  }
}
