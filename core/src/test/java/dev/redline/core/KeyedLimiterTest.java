package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeyedLimiterTest {
  private final AtomicLong now = new AtomicLong(EngineFixture.START);
  private final LocalStore store = new LocalStore(1000, now::get);

  @AfterEach
  void close() {
    store.close();
  }

  private void advance(Duration time) {
    now.addAndGet(time.toNanos() / 1000);
  }

  private static int allowed(KeyedLimiter limiter, String key, int attempts) {
    int allowed = 0;
    for (int i = 0; i < attempts; i++) {
      allowed += limiter.tryAcquire(key) ? 1 : 0;
    }
    return allowed;
  }

  @Test
  void oneLineLimitsEveryKeySeparately() {
    try (KeyedLimiter limiter = KeyedLimiter.of("10/h burst 20")) {
      assertThat(allowed(limiter, "alice", 40)).isEqualTo(30);
      assertThat(allowed(limiter, "bob", 40)).isEqualTo(30);
    }
  }

  @Test
  void severalLimitsApplyTogether() {
    try (KeyedLimiter limiter = KeyedLimiter.of("10/h", "3/d")) {
      assertThat(allowed(limiter, "alice", 10)).isEqualTo(3);
      assertThat(limiter.check("alice").band()).contains("limiter-2");
    }
  }

  @Test
  void refillsAtItsRate() {
    KeyedLimiter limiter = KeyedLimiter.of("api", "10/s burst 20", store);
    assertThat(allowed(limiter, "alice", 40)).isEqualTo(30);
    advance(Duration.ofSeconds(1));
    assertThat(allowed(limiter, "alice", 40)).isEqualTo(10);
  }

  @Test
  void acquiresSeveralTokensOrNone() {
    KeyedLimiter limiter = KeyedLimiter.of("api", "5/h", store);
    assertThat(limiter.tryAcquire("alice", 3)).isTrue();
    assertThat(limiter.tryAcquire("alice", 3)).isFalse();
    assertThat(limiter.tryAcquire("alice", 2)).isTrue();
    assertThat(limiter.tryAcquire("alice", 6)).isFalse();
  }

  @Test
  void namesSeparateBucketsAndEqualNamesShareThem() {
    KeyedLimiter one = KeyedLimiter.of("one", "1/h", store);
    KeyedLimiter two = KeyedLimiter.of("two", "1/h", store);
    KeyedLimiter oneAgain = KeyedLimiter.of("one", "1/h", store);
    assertThat(one.tryAcquire("alice")).isTrue();
    assertThat(two.tryAcquire("alice")).isTrue();
    assertThat(oneAgain.tryAcquire("alice")).isFalse();
  }

  @Test
  void checkReturnsTheNumbersAndOrThrowCarriesThem() {
    KeyedLimiter limiter = KeyedLimiter.of("api", "1/s", store);
    RateLimitResult first = limiter.check("alice");
    assertThat(first.orThrow()).isSameAs(first);
    assertThat(first.remaining()).hasValue(0);
    assertThat(first.plan()).contains("api");
    assertThatThrownBy(() -> limiter.check("alice").orThrow())
        .isInstanceOfSatisfying(
            RateLimitExceededException.class,
            e -> {
              assertThat(e.result().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
              assertThat(e.result().retryAfter()).contains(Duration.ofSeconds(1));
              assertThat(e).hasMessageContaining("api").hasMessageNotContaining("alice");
            });
  }

  @Test
  void checkAsyncDecidesLikeCheck() {
    KeyedLimiter limiter = KeyedLimiter.of("api", "2/h", store);
    assertThat(limiter.checkAsync("alice", 2).toCompletableFuture().join().allowed()).isTrue();
    assertThat(limiter.checkAsync("alice", 1).toCompletableFuture().join().allowed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "10", "10/x", "ten/s", "0/s", "10/s burst", "10/400d", "9999999999999/s"})
  void rejectsAMalformedLimitWithItsText(String limit) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of(limit))
        .withMessageContaining("'" + limit + "'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of("api", limit, store))
        .withMessageContaining("'" + limit + "'");
  }

  @Test
  void malformedLimitIsRejectedWithWhatIsAllowed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of("ten a second"))
        .withMessage(
            "limit must be N/PERIOD [burst B], such as 10/s or 100/10s burst 5,"
                + " was 'ten a second'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of((String) null))
        .withMessageContaining("N/PERIOD");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of("1/s", (String) null))
        .withMessageContaining("N/PERIOD");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyedLimiter.of("no spaces", "1/s", store))
        .withMessageStartingWith("name must")
        .withMessageContaining("'no spaces'");
  }

  @Test
  void namesWhatIsNull() {
    rejects("name must not be null", () -> KeyedLimiter.of(null, "1/s", store));
    rejects("limits must not be null", () -> KeyedLimiter.of("api", (List<String>) null, store));
    rejects("more must not be null", () -> KeyedLimiter.of("1/s", (String[]) null));
    rejects("N/PERIOD", () -> KeyedLimiter.of("api", (String) null, store));
  }

  @Test
  void namesTheMaximumOfALimitOfAnyLength() {
    rejects(
        "limit '99999999999999999999/s': N must be at most 1000000000000",
        () -> KeyedLimiter.of("99999999999999999999/s"));
    rejects(
        "limit '1/s burst 99999999999999999999': B must be at most 1000000000000",
        () -> KeyedLimiter.of("1/s burst 99999999999999999999"));
  }

  @Test
  void rejectsANullOrEmptyKeyEverywhere() {
    try (KeyedLimiter limiter = KeyedLimiter.of("1/s")) {
      Duration second = Duration.ofSeconds(1);
      for (String key : new String[] {null, ""}) {
        String says = key == null ? "key must not be null" : "key must not be empty";
        rejects(says, () -> limiter.tryAcquire(key));
        rejects(says, () -> limiter.tryAcquire(key, 2));
        rejects(says, () -> limiter.check(key));
        rejects(says, () -> limiter.checkAsync(key, 1));
        rejects(says, () -> limiter.acquire(key, second));
        rejects(says, () -> limiter.acquireAsync(key, 1, second));
      }
    }
  }

  @Test
  void rejectsTokensOutOfRange() {
    try (KeyedLimiter limiter = KeyedLimiter.of("1/s")) {
      for (long tokens : new long[] {0, -1, Long.MIN_VALUE, RateLimitBand.MAX_TOKENS + 1}) {
        rejects(
            "tokens must be 1 to 1000000000000, was " + tokens,
            () -> limiter.tryAcquire("alice", tokens));
        rejects(
            "tokens must be 1 to 1000000000000, was " + tokens,
            () -> limiter.check("alice", tokens));
        rejects(
            "tokens must be 1 to 1000000000000, was " + tokens,
            () -> limiter.acquireAsync("alice", tokens, Duration.ZERO));
      }
    }
  }

  private static void rejects(
      String says, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessageContaining(says);
  }

  @Test
  void aPlanOfTheRulesInForceIsALimiterThatFollowsThem() {
    try (RateLimitEngine engine = RateLimitEngine.builder(store).book(gold("2/h")).build()) {
      KeyedLimiter gold = engine.plan("gold");
      assertThat(gold.tryAcquire("alice")).isTrue();
      assertThat(engine.allow("alice", "gold").allowed()).isTrue();
      assertThat(gold.tryAcquire("alice")).isFalse();
      engine.use(gold("5/h"));
      assertThat(allowed(gold, "alice", 9)).isEqualTo(5);
      engine.enable(false);
      assertThat(gold.tryAcquire("alice")).isTrue();
      assertThat(gold.check("alice").reason()).isEqualTo(Reason.DISABLED);
      engine.enable(true);
      gold.close();
      assertThat(engine.plan("gold").tryAcquire("bob")).isTrue();
      assertThatThrownBy(() -> engine.plan("silver").tryAcquire("bob"))
          .isInstanceOf(UnknownNameException.class)
          .hasMessage("unknown plan 'silver'");
    }
  }

  private static RuleBook gold(String limit) {
    return RuleBook.builder()
        .plans(List.of(RateLimitPlan.of("gold", RateLimitBand.parse(limit))))
        .build();
  }

  @Test
  void metricsAndShadowModeApplyToAPlanToo() {
    AtomicLong counted = new AtomicLong();
    EngineSettings shadow =
        new EngineSettings(
            true,
            java.util.Optional.empty(),
            EngineSettings.MissingRules.ALLOW,
            dev.redline.core.rule.OnStoreFailure.LOCAL,
            1);
    try (RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(gold("1/h"))
            .settings(shadow)
            .metrics((set, rule) -> verdict -> counted.incrementAndGet())
            .build()) {
      assertThat(allowed(engine.plan("gold"), "alice", 5)).isEqualTo(5);
      assertThat(counted.get()).isEqualTo(5);
    }
  }

  /** A store that does I/O, and fails. */
  private record FailingStore() implements StorageProvider {
    @Override
    public String type() {
      return "failing";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, "on purpose"));
    }

    @Override
    public void close() {}
  }

  @Test
  void decidesByFallbackWhileTheStoreFails() throws Exception {
    try (KeyedLimiter limiter = KeyedLimiter.of("api", "2/h", new FailingStore())) {
      assertThat(allowed(limiter, "alice", 5)).isEqualTo(2);
      RateLimitResult denied = limiter.check("alice");
      assertThat(denied.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      assertThat(denied.degraded()).isTrue();
      assertThat(limiter.acquire("alice", Duration.ofSeconds(1))).isFalse();
      assertThat(limiter.acquire("bob", Duration.ofSeconds(1))).isTrue();
    }
  }

  /** What a token costs in memory that was allocated, by the JVM's own count. */
  @Test
  void tryAcquireAllocatesLessThanAllow() {
    try (RateLimitEngine engine = RateLimitEngine.builder(store).book(gold("1000000/h")).build()) {
      KeyedLimiter limiter = engine.plan("gold");
      long direct = allocatedBy(() -> limiter.tryAcquire("alice"));
      long throughEngine = allocatedBy(() -> engine.allow("alice", "gold"));
      assertThat(direct).isLessThan(throughEngine * 2 / 3);
    }
  }

  private static long allocatedBy(Runnable call) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 20_000; i++) {
      call.run();
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      call.run();
    }
    long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / 10_000;
    return bytes;
  }
}
