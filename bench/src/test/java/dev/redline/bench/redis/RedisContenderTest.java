package dev.redline.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.bench.redis.BucketPopulation.Mix;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A limiter that never denies, or always does, would not be comparable. */
class RedisContenderTest {
  private static final int KEYS = 20;
  private static RedisServer redis;

  @BeforeAll
  static void startRedis() {
    redis = RedisServer.start(RedisBinary.any());
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @ParameterizedTest
  @EnumSource
  void passesEveryRequestWhileThereIsPlenty(RedisContender contender) {
    for (int bands : new int[] {1, 3}) {
      assertThat(passed(contender, new BucketPopulation(false, KEYS, bands, Mix.ALLOW)))
          .isEqualTo(3 * KEYS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void deniesEveryRequestAfterTheFirstOfAKey(RedisContender contender) {
    assertThat(passed(contender, new BucketPopulation(false, KEYS, 1, Mix.DENY))).isZero();
  }

  private static int passed(RedisContender contender, BucketPopulation population) {
    try (Client client = contender.connect(redis.uri(), false)) {
      Limiter limiter = client.limiter(population);
      int passed = 0;
      for (int i = 0; i < 3 * KEYS; i++) {
        passed += limiter.acquireAndWait(i % KEYS) ? 1 : 0;
      }
      return passed;
    }
  }

  @Test
  void leasesAllowNoMoreThanTheLimitAndSpendMostTokensWithoutTrip() throws InterruptedException {
    try (LeasedChecks checks = new LeasedChecks(redis.uri())) {
      checks.verify();
      Limiter limiter = checks.limiter(Cell.LEASED_HOT.population());
      Sample sample = checks.timed(ClosedLoop.run(List.of(limiter), 1, 64, Duration.ofMillis(300)));
      // On a busy machine the first calls of a cold store may time out.
      assertThat(sample.failures()).isLessThan(sample.decisions());
      assertThat(sample.passed()).isPositive().isEqualTo(sample.decisions());
      assertThat(sample.p99Micros()).isPositive();
    }
  }

  @Test
  void loadsCountDecisionsAndAllowedOnes() throws InterruptedException {
    try (Client client = RedisContender.REDLINE.connect(redis.uri(), false)) {
      Limiter open = client.limiter(new BucketPopulation(false, KEYS, 1, Mix.ALLOW));
      Limiter shut = client.limiter(new BucketPopulation(false, KEYS, 1, Mix.DENY));
      Duration time = Duration.ofMillis(50);

      Sample closedLoop = ClosedLoop.run(List.of(open, open), KEYS, 8, time);
      Sample denied = ClosedLoop.run(List.of(shut), KEYS, 8, time);
      Sample blocking = Threads.run(open, KEYS, 4, time);
      Sample idle = Threads.run(open, KEYS, 1, time);
      Sample openLoop = OpenLoop.run(open, KEYS, 2000, time);

      assertThat(List.of(closedLoop, blocking, idle, openLoop))
          .allSatisfy(
              sample -> {
                assertThat(sample.decisions()).isPositive().isEqualTo(sample.passed());
                assertThat(sample.failures()).isZero();
              });
      assertThat(denied.decisions()).isPositive();
      assertThat(denied.passed()).isZero();
      // Half a second before, whose latencies do not count, and 50 ms.
      assertThat(openLoop.decisions()).isEqualTo(1100);
      assertThat(openLoop.latencies().getTotalCount()).isEqualTo(100);
      assertThat(List.of(idle.p50Micros(), openLoop.p99Micros())).allMatch(micros -> micros > 0);
    }
  }
}
