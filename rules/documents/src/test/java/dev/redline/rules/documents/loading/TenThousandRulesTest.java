package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RuleBook;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ten thousand rules are loaded and replaced as a whole. */
class TenThousandRulesTest {
  private static String rules(int limit) {
    StringBuilder text = new StringBuilder("rules:\n");
    for (int i = 0; i < 10_000; i++) {
      text.append("  - { id: rule-").append(i);
      text.append(", path: /api/v").append(i % 100).append("/things/").append(i).append("/**");
      text.append(", key: [ip, \"header:X-Tenant\"], limit: [").append(limit);
      text.append("/s, 1000/h] }\n");
    }
    return text.toString();
  }

  private static long load(RuleLoader loader, MemorySource source, int limit) {
    source.content = rules(limit);
    long start = System.nanoTime();
    loader.reload();
    long millis = (System.nanoTime() - start) / 1_000_000;
    assertThat(loader.status().errors()).isEmpty();
    return millis;
  }

  @Test
  void loadsTenThousandRulesInTimeAndReleasesTheOldOnes() {
    MemorySource source = new MemorySource("test");
    try (LocalStore store = new LocalStore()) {
      RateLimitEngine engine = RateLimitEngine.builder(store).build();
      RuleLoader loader = RuleLoader.builder(engine, List.of(RuleSource.dynamic(source))).build();
      long cold = load(loader, source, 1);
      WeakReference<RuleBook> first = new WeakReference<>(engine.book());
      for (int i = 2; i < 12; i++) {
        load(loader, source, i);
      }
      long warm = load(loader, source, 99);
      System.out.println("10,000 rules: " + cold + " ms cold, " + warm + " ms warm");

      assertThat(engine.book().rules()).hasSize(10_000);
      assertThat(loader.status().version()).isEqualTo(12);
      assertThat(cold).as("ms, on a machine that may be busy").isLessThan(30_000);
      assertThat(warm).as("ms, on a machine that may be busy").isLessThan(10_000);
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                System.gc();
                return first.get() == null;
              });
    }
  }
}
