package dev.redline.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.internal.ContendingProcesses;
import dev.redline.testkit.internal.StoreLoad;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several nodes on one PostgreSQL, and its faults: the history must stay exact. */
@Tag("faults")
class JdbcFaultTest {
  @RegisterExtension static final SharedPostgres POSTGRES = new SharedPostgres();

  @Test
  void allowsExactlyCapacityOverThreeProcesses() throws Exception {
    int[] counts =
        ContendingProcesses.run(
            JdbcProcess.class, POSTGRES.server().url(), POSTGRES.server().user());
    assertThat(counts).containsExactly(100, 900, 0);
  }

  @Test
  void decidesExactlyUnderLoadOfTwoNodes() {
    History history = new History();
    List<StorageProvider> nodes = POSTGRES.nodes(2, POSTGRES.settings(), history);
    try (StoreLoad load = new StoreLoad(nodes, 8, StoreLoad.mixed(3))) {
      load.awaitDecisions(3000);
      assertThat(load.failures()).isEmpty();
    }
    System.out.println("load: " + HistoryChecker.check(history));
  }

  /** Keys in opposite order, on as many connections as there are, never deadlock. */
  @Test
  void neverDeadlocksOnKeysInOppositeOrder() {
    RateLimitKey[] keys = new RateLimitKey[6];
    for (int i = 0; i < keys.length; i++) {
      keys[i] =
          new RateLimitKey(
              StoreLoad.rule("r" + i, RateLimitBand.of(100_000, 1, Duration.ofHours(1))),
              "caller-" + (keys.length - i));
    }
    History history = new History();
    List<StorageProvider> nodes = POSTGRES.nodes(3, POSTGRES.settings(), history);
    try (StoreLoad load =
        new StoreLoad(
            nodes,
            24,
            random -> {
              int from = random.nextInt(keys.length);
              boolean up = random.nextBoolean();
              Acquisition.Builder builder = Acquisition.builder();
              for (int i = 0; i < keys.length; i++) {
                int step = up ? i : keys.length - i;
                builder.take(keys[(from + step) % keys.length], 1);
              }
              return builder.build();
            })) {
      load.awaitDecisions(2000);
      assertThat(load.failures()).isEmpty();
    }
    HistoryChecker.check(history);
  }

  @Test
  void healsItselfAfterTheServerWasKilled() {
    History history = new History();
    List<StorageProvider> nodes =
        POSTGRES.nodes(2, POSTGRES.settings().withTimeout(Duration.ofMillis(500)), history);
    try (StoreLoad load = new StoreLoad(nodes, 8, StoreLoad.mixed(3))) {
      load.awaitDecisions(500);
      try (History.Span crash = history.forgetting()) {
        POSTGRES.server().kill();
        long failed = load.failed();
        await().until(() -> load.failed() > failed + 20);
        assertThat(nodes.get(0).health().up()).isIn(true, false);
        POSTGRES.server().restart();
        load.awaitDecisions(200);
      }
      load.awaitDecisions(500);
      await()
          .atMost(Duration.ofSeconds(5))
          .until(() -> nodes.stream().allMatch(node -> node.health().up()));
    }
    System.out.println("killed: " + HistoryChecker.check(history));
  }

  @Test
  void failsByItsDeadlineWhileTheServerHangs() {
    Duration timeout = Duration.ofMillis(250);
    History history = new History();
    List<StorageProvider> nodes =
        POSTGRES.nodes(2, POSTGRES.settings().withTimeout(timeout), history);
    try (StoreLoad load = new StoreLoad(nodes, 8, StoreLoad.mixed(3))) {
      load.awaitDecisions(200);
      POSTGRES.server().pause();
      long failed = load.failed();
      await().until(() -> load.failed() > failed + 20);
      POSTGRES.server().resume();
      load.awaitDecisions(200);
      assertThat(load.longestCall()).isLessThan(timeout.multipliedBy(4));
    }
    HistoryChecker.Report report = HistoryChecker.check(history);
    System.out.println("paused: " + report);
    assertThat(report.unknown()).isPositive();
  }
}
