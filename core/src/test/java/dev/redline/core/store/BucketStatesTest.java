package dev.redline.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketStatesTest {
  private static final long NOW = 1_763_230_000_000_000L;
  private static final long SECOND = 1_000_000;
  private static final Duration WINDOW = Duration.ofSeconds(10);

  private static RateLimitKey key(String rule, RateLimitBand... bands) {
    return new RateLimitKey(new BucketLimits(OwnerKind.RULE, rule, List.of(bands)), "caller");
  }

  private static RateLimitBand tokens(long capacity) {
    return RateLimitBand.of(capacity, 1, Duration.ofSeconds(1));
  }

  /** Returns how much could be acquired from one key whose state is {@code state}. */
  private static long left(RateLimitKey key, long[] state, long now) {
    long left = 0;
    while (true) {
      BucketStates states = new BucketStates(Acquisition.of(key, left + 1, false, true));
      states.load(0, state);
      if (!states.decide(now).allowed()) {
        return left;
      }
      left++;
    }
  }

  private static long[] refunded(Acquisition taken, Outcome outcome, long[] state, long now) {
    BucketStates states = new BucketStates(taken);
    states.load(0, state);
    states.refund(outcome, now);
    return states.state(0);
  }

  @Test
  void marksOnlyChangedKeys() {
    Acquisition both =
        Acquisition.builder()
            .take(key("a", tokens(5), tokens(9)), 2)
            .add(key("b", tokens(1)), 2, true)
            .take(key("c", tokens(7)), 3)
            .build();
    BucketStates states = new BucketStates(both);
    assertThat(states.decide(NOW).allowed()).isTrue();
    assertThat(states.isChanged(0)).isTrue();
    assertThat(states.isChanged(1)).isFalse();
    assertThat(states.isChanged(2)).isTrue();
    assertThat(left(both.key(0), states.state(0), NOW)).isEqualTo(3);
    assertThat(left(both.key(2), states.state(2), NOW)).isEqualTo(4);
    assertThat(states.microsToFull(0, NOW)).isEqualTo(2 * SECOND);
    assertThat(states.microsToFull(2, NOW)).isEqualTo(3 * SECOND);
  }

  @Test
  void denialChangesNothing() {
    BucketStates states =
        new BucketStates(
            Acquisition.builder()
                .take(key("a", tokens(5)), 1)
                .take(key("b", tokens(1)), 2)
                .build());
    assertThat(states.decide(NOW).allowed()).isFalse();
    assertThat(states.isChanged(0)).isFalse();
    assertThat(states.isChanged(1)).isFalse();
  }

  @Test
  void denialAfterTheClockSteppedBackWritesTheRepair() {
    RateLimitKey key = key("a", tokens(1));
    BucketStates taken = new BucketStates(Acquisition.of(key, 1));
    taken.decide(NOW + 3600 * SECOND);
    BucketStates behind = new BucketStates(Acquisition.of(key, 1));
    behind.load(0, taken.state(0));
    assertThat(behind.decide(NOW).allowed()).isFalse();
    assertThat(behind.isChanged(0)).isTrue();
    assertThat(left(key, behind.state(0), NOW + SECOND)).isEqualTo(1);

    BucketStates dry = new BucketStates(Acquisition.of(key, 1, false, true));
    dry.load(0, taken.state(0));
    dry.decide(NOW);
    assertThat(dry.isChanged(0)).isFalse();
  }

  @Test
  void rejectsStateOfAnotherLength() {
    BucketStates states = new BucketStates(Acquisition.of(key("a", tokens(1)), 1));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> states.load(0, new long[3]))
        .withMessage("rule a: a kept state has 3 words, must have 2")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.BAD_STATE));
  }

  @Test
  void reusedForAnotherAcquisitionStartsFull() {
    BucketStates states = new BucketStates(Acquisition.of(key("a", tokens(1)), 1));
    states.decide(NOW);
    Acquisition larger =
        Acquisition.builder().take(key("a", tokens(1)), 1).take(key("b", tokens(4)), 4).build();
    states.reset(larger);
    assertThat(states.isChanged(0)).isFalse();
    assertThat(states.decide(NOW).allowed()).isTrue();
  }

  @Test
  void refundOfATokenBucketGivesBackOnlyWhatTimeHasNotRefilled() {
    RateLimitKey key = key("a", tokens(10));
    Acquisition four = Acquisition.of(key, 4);
    BucketStates states = new BucketStates(four);
    Outcome outcome = states.decide(NOW);
    long[] state = states.state(0);
    assertThat(left(key, refunded(four, outcome, state, NOW), NOW)).isEqualTo(10);
    // One second has refilled one token, so three are still missing.
    long later = NOW + SECOND;
    BucketStates others = new BucketStates(Acquisition.of(key, 5));
    others.load(0, state);
    others.decide(later);
    assertThat(left(key, others.state(0), later)).isEqualTo(2);
    assertThat(left(key, refunded(four, outcome, others.state(0), later), later)).isEqualTo(5);
    // After four seconds nothing is.
    long muchLater = NOW + 4 * SECOND;
    long[] unchanged = refunded(four, outcome, others.state(0), muchLater);
    assertThat(unchanged).isEqualTo(others.state(0));
  }

  @Test
  void refundBehindEarlierDebtIsTheFullPriceUntilThatIsRefilled() {
    RateLimitKey key = key("a", tokens(10));
    BucketStates first = new BucketStates(Acquisition.of(key, 5));
    first.decide(NOW);
    Acquisition two = Acquisition.of(key, 2);
    BucketStates second = new BucketStates(two);
    second.load(0, first.state(0));
    Outcome outcome = second.decide(NOW);
    long later = NOW + 3 * SECOND;
    assertThat(left(key, refunded(two, outcome, second.state(0), later), later)).isEqualTo(8);
  }

  @Test
  void refundOfIntervalRefillCountsWholePeriods() {
    RateLimitBand band =
        RateLimitBand.builder()
            .capacity(10)
            .refillTokens(2)
            .period(Duration.ofSeconds(1))
            .refill(Refill.INTERVAL)
            .build();
    RateLimitKey key = key("a", band);
    Acquisition five = Acquisition.of(key, 5);
    BucketStates states = new BucketStates(five);
    Outcome outcome = states.decide(NOW);
    long later = NOW + SECOND + SECOND / 2;
    assertThat(left(key, states.state(0), later)).isEqualTo(7);
    assertThat(left(key, refunded(five, outcome, states.state(0), later), later)).isEqualTo(10);
    BucketStates others = new BucketStates(Acquisition.of(key, 7));
    others.load(0, states.state(0));
    others.decide(later);
    assertThat(left(key, refunded(five, outcome, others.state(0), later), later)).isEqualTo(3);
  }

  @Test
  void refundOfAFixedWindowEndsWithIt() {
    refundOfAWindow(RateLimitBand.fixedWindow(10, WINDOW), 9);
  }

  @Test
  void refundOfASlidingWindowAlsoLowersThePreviousCount() {
    refundOfAWindow(RateLimitBand.slidingWindow(10, WINDOW), 3);
  }

  private static void refundOfAWindow(RateLimitBand band, long leftInTheNext) {
    long start = NOW - NOW % (10 * SECOND);
    RateLimitKey key = key("a", band);
    Acquisition six = Acquisition.of(key, 6);
    BucketStates states = new BucketStates(six);
    Outcome outcome = states.decide(start + 1);
    long[] state = states.state(0);
    assertThat(left(key, refunded(six, outcome, state, start + 2), start + 2)).isEqualTo(10);

    long next = start + 10 * SECOND;
    BucketStates one = new BucketStates(Acquisition.of(key, 1));
    one.load(0, state);
    one.decide(next);
    long[] rolled = one.state(0);
    assertThat(left(key, rolled, next)).isEqualTo(leftInTheNext);
    assertThat(left(key, refunded(six, outcome, rolled, next), next)).isEqualTo(9);
  }

  @Test
  void refundsNothingThatWasNotTaken() {
    Acquisition.Builder builder =
        Acquisition.builder()
            .take(key("a", tokens(5)), 1)
            .add(key("b", tokens(1)), 2, true)
            .take(key("c", tokens(3)), 1);
    Acquisition taken = builder.build();
    BucketStates states = new BucketStates(taken);
    Outcome allowed = states.decide(NOW);
    states.reset(taken);
    states.refund(allowed, NOW);
    assertThat(states.isChanged(0)).isTrue();
    assertThat(states.isChanged(1)).as("a shadow key that was exceeded").isFalse();
    assertThat(states.isChanged(2)).isTrue();

    BucketStates dry = new BucketStates(builder.dryRun(true).build());
    dry.refund(dry.decide(NOW), NOW);
    assertThat(dry.isChanged(0)).isFalse();

    BucketStates denied =
        new BucketStates(
            Acquisition.builder()
                .take(key("a", tokens(5)), 1)
                .take(key("b", tokens(1)), 2)
                .build());
    denied.refund(denied.decide(NOW), NOW);
    assertThat(denied.isChanged(0)).isFalse();
  }

  @Test
  void rejectsStatesWithImpossibleNumbers() {
    RateLimitBand thirds = RateLimitBand.of(10, 3, Duration.ofSeconds(1));
    RateLimitBand interval =
        RateLimitBand.builder()
            .capacity(10)
            .refillTokens(3)
            .period(WINDOW)
            .refill(Refill.INTERVAL)
            .build();
    RateLimitBand fixed =
        RateLimitBand.builder()
            .capacity(10)
            .period(WINDOW)
            .algorithm(Algorithm.FIXED_WINDOW)
            .build();
    RateLimitBand sliding =
        RateLimitBand.builder()
            .capacity(10)
            .period(WINDOW)
            .algorithm(Algorithm.SLIDING_WINDOW)
            .build();
    assertImpossible(thirds, NOW, -1);
    assertImpossible(thirds, NOW, 3);
    assertImpossible(thirds, Long.MIN_VALUE, 0);
    assertImpossible(interval, NOW, 3, NOW);
    assertImpossible(interval, NOW, 0, Long.MIN_VALUE);
    assertImpossible(fixed, NOW / 10_000_000, -1);
    assertImpossible(fixed, NOW / 10_000_000, Long.MAX_VALUE);
    assertImpossible(sliding, NOW / 10_000_000, 1, -1);
    assertImpossible(sliding, NOW / 10_000_000, -1, 1);
  }

  private static void assertImpossible(RateLimitBand band, long... state) {
    BucketStates states = new BucketStates(Acquisition.of(key("a", band), 1));
    assertThatExceptionOfType(StoreException.class)
        .isThrownBy(() -> states.load(0, state))
        .withMessageContaining("impossible numbers")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(StoreException.Kind.BAD_STATE));
    // Nothing was loaded: the bucket is full, and its own states are possible ones.
    assertThat(states.decide(NOW).allowed()).isTrue();
    states.load(0, states.state(0));
  }
}
