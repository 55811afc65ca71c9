package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Buckets in Redis expire, but never before they are full again. */
class ExpiryTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  static Stream<RateLimitBand> bands() {
    return Stream.of(
        RateLimitBand.of(1, 10, Duration.ofSeconds(1)),
        RateLimitBand.of(5, 1, Duration.ofDays(30)),
        RateLimitBand.of(1000, 7, Duration.ofMillis(3)),
        RateLimitBand.builder()
            .capacity(9)
            .refillTokens(2)
            .period(Duration.ofDays(30))
            .refill(Refill.INTERVAL)
            .build(),
        RateLimitBand.slidingWindow(5, Duration.ofDays(30)),
        RateLimitBand.slidingWindow(5, Duration.ofSeconds(1)),
        RateLimitBand.fixedWindow(5, Duration.ofDays(30)));
  }

  @ParameterizedTest
  @MethodSource("bands")
  void expiresWhenFullAndNotBefore(RateLimitBand band) {
    RateLimitKey key = new RateLimitKey(Nodes.rule("r", band), "somebody");
    BandArithmetic arithmetic = key.limits().band(0);
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      StorageProvider node = nodes.add();
      for (int i = 0; i < 5; i++) {
        Outcome outcome = Nodes.take(node, key, 1);
        if (!outcome.allowed()) {
          continue;
        }
        long[] view = outcome.views().clone();
        arithmetic.advance(view, 0, 1);
        long fullAt = outcome.nowMicros() + arithmetic.lifetimeMicros(view, 0);
        long[] life = life(nodes, key);
        assertThat(life[1]).as("PTTL").isNotEqualTo(-1);
        if (life[1] < 0) {
          // Rarely, the machine is so slow that the bucket is full and gone already.
          assertThat(life[0]).isGreaterThan(fullAt);
          continue;
        }
        long expiry = life[0] + life[1] * 1000;
        assertThat(expiry).as("expiry, in µs").isGreaterThanOrEqualTo(fullAt);
        long rounding = band.refill() == Refill.INTERVAL ? band.periodMicros() : 0;
        // With continuous refill only, the expiry is set ahead, so that it seldom has to be set.
        assertThat(expiry - fullAt).as("kept longer").isLessThan(24_000_000 + rounding);
      }
    }
  }

  /** Returns the server's time in µs and the time to live of a bucket in ms, read atomically. */
  private static long[] life(Nodes nodes, RateLimitKey key) {
    String script = "local t = redis.call('TIME') return {t[1], t[2], redis.call('PTTL', KEYS[1])}";
    List<?> reply = (List<?>) REDIS.get().command("EVAL", script, "1", nodes.redisKey(key));
    long seconds = Long.parseLong(String.valueOf(reply.get(0)));
    long micros = Long.parseLong(String.valueOf(reply.get(1)));
    return new long[] {seconds * 1_000_000 + micros, (Long) reply.get(2)};
  }

  @Test
  void denialAndDryRunDoNotChangeExpiry() {
    RateLimitKey key =
        new RateLimitKey(Nodes.rule("r", RateLimitBand.of(1, 1, Duration.ofDays(30))), "somebody");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      StorageProvider node = nodes.add();
      Nodes.look(node, key);
      assertThat(REDIS.get().command("EXISTS", nodes.redisKey(key))).isEqualTo(0L);
      Nodes.take(node, key, 1);
      long[] before = life(nodes, key);
      for (int i = 0; i < 3; i++) {
        nodes.store(0).forget(key);
        assertThat(Nodes.take(node, key, 1).allowed()).isFalse();
        Nodes.look(node, key);
      }
      long[] after = life(nodes, key);
      assertThat(after[0] + after[1] * 1000)
          .isCloseTo(before[0] + before[1] * 1000, within(20_000L));
    }
  }

  /** The clock was an hour ahead when the bucket was written, which takes a second to fill. */
  @Test
  void bucketThatIsFullInAnHourServesWithinTimeToFull() {
    RateLimitKey key =
        new RateLimitKey(
            Nodes.rule("r", RateLimitBand.of(10, 10, Duration.ofSeconds(1))), "somebody");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      StorageProvider node = nodes.add();
      long now = Nodes.take(node, key, 1).nowMicros();
      BucketValue ahead = BucketValue.fullAt(now + 3_600_000_000L);
      REDIS.get().command("SET", nodes.redisKey(key), ahead.toString(), "PX", "7200000");
      Outcome denied = Nodes.take(node, key, 1);
      assertThat(denied.allowed()).isFalse();
      BucketValue written = BucketValue.of(REDIS.get().command("GET", nodes.redisKey(key)));
      assertThat(written.fullAtMicros()).isEqualTo(denied.nowMicros() + 1_000_000);
      Outcome[] last = {denied};
      await()
          .pollInterval(Duration.ofMillis(10))
          .atMost(Duration.ofSeconds(10))
          .until(
              () -> {
                last[0] = Nodes.take(node, key, 9);
                return last[0].allowed();
              });
      long waited = last[0].nowMicros() - denied.nowMicros();
      System.out.println("figure: served " + waited / 1000 + " ms after the clock went back");
      assertThat(waited).isGreaterThanOrEqualTo(900_000);
    }
  }
}
