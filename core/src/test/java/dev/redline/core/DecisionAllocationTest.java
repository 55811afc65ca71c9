package dev.redline.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Bounds the bytes per decision of an engine in memory. The bounds hold without escape analysis:
 * the compiler may remove objects, and does not do so in every run.
 */
class DecisionAllocationTest {
  private static final int DECISIONS = 20_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final LocalStore store = new LocalStore();
  private final RequestContext request =
      RequestContext.builder().path("/api/x").method("GET").clientIp("203.0.113.255").build();
  private final List<String> gold = List.of("gold");

  private static RateLimitBand band(long capacity) {
    return RateLimitBand.of(capacity, capacity, Duration.ofDays(100));
  }

  private RateLimitEngine engine(long capacity) {
    RateLimitRule rule =
        RateLimitRule.builder()
            .id("per-ip")
            .path("/api/**")
            .key(KeyField.ip())
            .addBand(band(capacity))
            .build();
    return RateLimitEngine.builder(store)
        .book(
            RuleBook.builder()
                .plans(List.of(RateLimitPlan.of("gold", band(capacity))))
                .rules(List.of(rule))
                .build())
        .build();
  }

  /** Returns the least of several runs: what the JVM allocates on the side does not count. */
  private static double bytesPerDecision(Runnable decision) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 5; round++) {
      long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      for (int i = 0; i < DECISIONS; i++) {
        decision.run();
      }
      long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
      least = Math.min(least, (after - before) / (double) DECISIONS);
    }
    return least;
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void allowAllocatesAtMost150BytesWhetherAllowedOrDenied() {
    RateLimitEngine generous = engine(RateLimitBand.MAX_TOKENS);
    assertThat(bytesPerDecision(() -> generous.allow("alice", gold, 1))).isLessThanOrEqualTo(150);
    RateLimitEngine strict = engine(1);
    assertThat(bytesPerDecision(() -> strict.allow("bob", gold, 1))).isLessThanOrEqualTo(150);
    assertThat(strict.allow("bob", gold, 1).allowed()).isFalse();
  }

  @Test
  void checkAllocatesAtMost300BytesWhetherAllowedOrDenied() {
    RateLimitEngine generous = engine(RateLimitBand.MAX_TOKENS);
    assertThat(bytesPerDecision(() -> generous.check(request))).isLessThanOrEqualTo(300);
    RateLimitEngine strict = engine(1);
    assertThat(bytesPerDecision(() -> strict.check(request))).isLessThanOrEqualTo(300);
    assertThat(strict.check(request).allowed()).isFalse();
  }

  @Test
  void tryAcquireAllocatesAtMostKeyAndAcquisition() {
    try (KeyedLimiter limiter = KeyedLimiter.of("1000000000/s")) {
      assertThat(bytesPerDecision(() -> limiter.tryAcquire("alice"))).isLessThanOrEqualTo(64);
    }
  }
}
