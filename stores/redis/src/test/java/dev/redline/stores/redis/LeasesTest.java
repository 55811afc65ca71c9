package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Leases with a sender that the test controls, without Redis. */
class LeasesTest implements LeaseAcquirer.Sender {
  private static final int CAPACITY = 16_000;
  private static final BucketLimits LIMITS = Nodes.rule("r", Nodes.slow(CAPACITY));
  private static final RateLimitKey KEY = new RateLimitKey(LIMITS, "somebody");

  /** The debt of a bucket whose refill replaces leased tokens only after a day. */
  private static final long DEBT_MICROS = Duration.ofDays(1).toNanos() / 1000;

  private final BucketKey.Maker maker =
      new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(SlotTags.COUNT_WITHOUT_CLUSTER));
  private final List<LeaseRequest> requests = new ArrayList<>();
  private final List<LeaseEnd.ClosedBlock> refunded = new ArrayList<>();
  private final Generations generations = new Generations();
  private final Leases leases =
      new Leases(
          RedisSettings.of("redis://localhost").withLease(LeaseSettings.ON),
          generations,
          LeaseRules.CURRENT,
          new SpendHook(),
          System::nanoTime,
          this,
          refunded::addAll);
  private Runnable afterSpend = () -> {};

  private final class SpendHook implements LeaseLog {
    @Override
    public void spent(LeaseBlock block, long cost, long nanos) {
      Runnable once = afterSpend;
      afterSpend = () -> {};
      once.run();
    }
  }

  @Override
  public void send(LeaseRequest request) {
    requests.add(request);
  }

  @Override
  public BucketKey.Maker keysOrNull() {
    return maker;
  }

  private static Outcome outcome(boolean allowed) {
    Outcome outcome = new Outcome();
    outcome.reset(1);
    outcome.views()[0] = DEBT_MICROS;
    if (allowed) {
      outcome.pass(0);
    }
    outcome.decide(allowed, TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    return outcome;
  }

  /** Counts trips of the key that Redis allows. */
  private void allow(int trips, long cost) {
    allow(trips, Acquisition.of(KEY, cost), System.nanoTime());
  }

  private void allow(int trips, Acquisition acquisition, long now) {
    for (int i = 0; i < trips; i++) {
      leases.count(acquisition, now);
      leases.learn(pending(acquisition, now), outcome(true), now);
    }
  }

  private PendingAcquisition pending(Acquisition acquisition, long now) {
    PendingAcquisition pending =
        new PendingAcquisition(acquisition, maker, now, PendingAcquisition.Waiter.THREAD);
    pending.sent(now);
    return pending;
  }

  /**
   * Replies to the last request that so many of its portions were acquired. The request counts as
   * just sent, however slow the test is, so that the demand is measured as high.
   */
  private void grant(int portions) {
    LeaseRequest request = requests.get(requests.size() - 1);
    request.sent(System.nanoTime() + Duration.ofMinutes(1).toNanos());
    request.passed(portions);
    request.complete(outcome(true));
  }

  private boolean spends(long cost) {
    return leases.spend(Acquisition.of(KEY, cost), new Outcome());
  }

  /** Has the key leased: eight tokens. */
  private void lease() {
    allow(2, 4);
    assertThat(requests).hasSize(1);
    grant(requests.get(0).runLength());
    assertThat(leases.holds(KEY)).isEqualTo(8);
  }

  @Test
  void dryRunIsAllowedOnlyIfTheRealRequestWouldBe() {
    lease();
    assertThat(spends(5)).isTrue();
    assertThat(requests).hasSize(2);
    grant(1);
    // There are two blocks, of 3 and 2 tokens, and a spend is of one block.
    assertThat(leases.holds(KEY)).isEqualTo(5);
    assertThat(isAllowedAsDryRun(4)).isEqualTo(spends(4)).isFalse();
    assertThat(isAllowedAsDryRun(3)).isEqualTo(spends(3)).isTrue();
  }

  /** Returns the result of a dry run that Redis denies. */
  private boolean isAllowedAsDryRun(long cost) {
    Outcome outcome = outcome(false);
    leases.include(Acquisition.of(KEY, cost, false, true), outcome);
    return outcome.allowed();
  }

  @Test
  void leasesNothingForSingleCostlyRequest() {
    allow(1, 100);
    assertThat(requests).isEmpty();
  }

  @Test
  void leasesNothingThatNoRequestCouldSpend() {
    // A node may hold 1000 tokens, so a lease would never suffice for one request.
    allow(20, 1001);
    assertThat(requests).isEmpty();
  }

  @Test
  void countsNeverDecrease() {
    lease();
    assertThat(spends(5)).isTrue();
    assertThat(leases.counts().spent()).isEqualTo(5);
    LeaseBlock block = requests.get(0).leasedKey().newer();
    assertThat(block).isNotNull();
    // Spends of a closed block are counted a moment after it is closed.
    block.close();
    assertThat(leases.counts().spent()).isEqualTo(5);
  }

  @Test
  void looksForTokensOfManyResetOwnersOnce() {
    List<Set<String>> changes = new ArrayList<>();
    generations.onChange(changes::add);
    generations.learn(Map.of("r:1", 7L, "r:2", 7L));
    generations.learn(Map.of("r:1", 7L, "r:2", 8L, "p:1", 6L));
    generations.learn(Map.of("r:1", 6L));
    assertThat(changes).containsExactly(Set.of("r:1", "r:2"), Set.of("r:2", "p:1"));
  }

  @Test
  void dropsTokensOfResetOwnersOnly() {
    lease();
    generations.learn(Map.of("r:other", 7L, "p:r", 7L));
    assertThat(leases.holds(KEY)).isEqualTo(8);
    generations.learn(Map.of("r:other", 8L, "r:r", 8L));
    assertThat(leases.holds(KEY)).isZero();
    assertThat(leases.counts().dropped()).isEqualTo(8);
    assertThat(refunded).isEmpty();
  }

  @Test
  void dropsTokensThatArriveAfterTheirReset() {
    allow(2, 4);
    generations.learn(Map.of("r:r", 7L));
    grant(requests.get(0).runLength());
    assertThat(leases.holds(KEY)).isZero();
    assertThat(leases.counts().dropped()).isEqualTo(8);
  }

  @Test
  void dropsTokensThatArriveAfterTheStoreIsClosed() {
    allow(2, 4);
    leases.end().close();
    grant(requests.get(0).runLength());
    assertThat(leases.holds(KEY)).isZero();
    assertThat(spends(1)).isFalse();
  }

  @Test
  void forgetsKeyWhoseRequestFails() {
    allow(2, 4);
    requests.get(0).fail(StoreException.Kind.UNAVAILABLE, "on purpose");
    assertThat(leases.isEmpty()).isFalse();
    long now = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    leases.end().tick(now);
    leases.end().tick(now + Duration.ofMinutes(1).toNanos());
    assertThat(leases.isEmpty()).isTrue();
  }

  @Test
  void leasesNothingAfterDenial() {
    long now = System.nanoTime();
    leases.learn(pending(Acquisition.of(KEY, 1), now), outcome(false), now);
    allow(20, 4);
    assertThat(requests).isEmpty();
  }

  @Test
  void leasesNothingAfterRequestThatWasPartlyDenied() {
    allow(2, 4);
    long now = System.nanoTime();
    grant(1);
    allow(20, Acquisition.of(KEY, 4), now);
    assertThat(requests).hasSize(1);
  }

  @Test
  void holdsAtMostItsShareOfTheCapacity() {
    allow(2, 4);
    long most = 0;
    for (int spent = 0; spent < 5000; spent++) {
      LeaseRequest request = requests.get(requests.size() - 1);
      if (!request.isDone()) {
        grant(request.runLength());
        most = Math.max(most, leases.holds(KEY));
      }
      assertThat(spends(1)).isTrue();
    }
    assertThat(most).isBetween(CAPACITY / 32L, CAPACITY / 16L);
  }

  @Test
  void requestsNoMoreThanAQuarterOfWhatIsLeft() {
    long left = 100;
    long hour = Duration.ofHours(1).toNanos() / 1000;
    long now = System.nanoTime();
    for (int i = 0; i < 1000; i++) {
      leases.count(Acquisition.of(KEY, 1), now);
    }
    Outcome outcome = outcome(true);
    outcome.views()[0] = (CAPACITY - left) * hour;
    leases.learn(pending(Acquisition.of(KEY, 1), now), outcome, now);
    assertThat(requests).hasSize(1);
    assertThat(requests.get(0).portion() * requests.get(0).runLength()).isBetween(8L, left / 4);
  }

  @Test
  void leasesNoMoreKeysThanAllowed() {
    Leases few =
        new Leases(
            RedisSettings.of("redis://localhost").withLease(new LeaseSettings(true, 2, 0.0625)),
            generations,
            LeaseRules.CURRENT,
            LeaseLog.NONE,
            System::nanoTime,
            this,
            refunded::addAll);
    long now = System.nanoTime();
    for (int i = 0; i < 5; i++) {
      Acquisition acquisition = Acquisition.of(new RateLimitKey(LIMITS, "somebody-" + i), 8);
      few.count(acquisition, now);
      few.count(acquisition, now);
      few.learn(pending(acquisition, now), outcome(true), now);
    }
    assertThat(requests).hasSize(2);
  }

  @Test
  void endsLeaseOfOldTokensAndRefundsThem() {
    lease();
    assertThat(spends(1)).isTrue();
    leases.end().tick(System.nanoTime() + Duration.ofMinutes(3).toNanos());
    assertThat(refunded).singleElement().extracting(LeaseEnd.ClosedBlock::left).isEqualTo(7L);
    assertThat(leases.isEmpty()).isTrue();
  }

  @Test
  void spendOfSeveralKeysIsTakenBackIfOneHasNotEnough() {
    RateLimitKey second = new RateLimitKey(Nodes.rule("second", Nodes.slow(CAPACITY)), "somebody");
    lease();
    allow(2, Acquisition.of(second, 4), System.nanoTime());
    grant(requests.get(1).runLength());
    Acquisition both = Acquisition.builder().take(KEY, 5).take(second, 5).build();
    // Another caller is faster.
    afterSpend = () -> leases.spend(Acquisition.of(second, 6), new Outcome());
    assertThat(leases.spend(both, new Outcome())).isFalse();
    assertThat(leases.holds(KEY)).isEqualTo(8);
    assertThat(leases.holds(second)).isEqualTo(2);

    // The lease ends before the spend is taken back: its tokens are neither spent nor refunded.
    allow(2, Acquisition.of(second, 4), System.nanoTime());
    afterSpend =
        () -> {
          leases.spend(Acquisition.of(second, 1), new Outcome());
          leases.end().close();
        };
    Acquisition again = Acquisition.builder().take(KEY, 5).take(second, 2).build();
    assertThat(leases.spend(again, new Outcome())).isFalse();
    assertThat(refunded).extracting(LeaseEnd.ClosedBlock::left).containsExactlyInAnyOrder(3L, 1L);
    assertThat(leases.counts().dropped()).isEqualTo(5);
    assertThat(leases.counts().spent()).isEqualTo(7);
  }

  @Test
  void requestsNothingForAWhileAfterFailure() {
    allow(2, 4);
    long before = System.nanoTime();
    requests.get(0).fail(StoreException.Kind.UNAVAILABLE, "on purpose");
    allow(10, Acquisition.of(KEY, 4), before + Duration.ofMillis(249).toNanos());
    assertThat(requests).hasSize(1);
    allow(10, Acquisition.of(KEY, 4), System.nanoTime() + Duration.ofMillis(250).toNanos());
    assertThat(requests).hasSize(2);
  }
}
