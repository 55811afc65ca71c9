package dev.redline.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Probes, which a breaker sends while it is half open. */
class BreakerProbesTest extends BreakerFixture {
  @Test
  void sendsOnlyProbesWhileHalfOpen() {
    CircuitBreakingStore store = unhurriedStore(3);
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.hold = true;
    int failed = 0;
    for (int i = 0; i < 100; i++) {
      failed += fails(store, "a") ? 1 : 0;
    }
    assertThat(nodes.acquired).isEqualTo(3);
    assertThat(failed).isEqualTo(97);
    assertThat(store.state()).isEqualTo(BreakerState.HALF_OPEN);

    nodes.hold = false;
    nodes.answerHeld("a");
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    assertThat(fails(store, "a")).isFalse();
  }

  @Test
  void releasesProbeWhenAnotherNodeIsOpen() {
    CircuitBreakingStore store = store("half-open-calls", "1", "open-duration", "1h");
    failCalls("a", 5);
    nodes.observer.recovered();
    failCalls("z", 5);
    for (int i = 0; i < 10; i++) {
      assertThat(fails(store, "a", "z")).isTrue();
    }
    assertThat(fails(store, "a")).isFalse();
    assertThat(nodes.acquired).isEqualTo(1);
  }

  @Test
  void failedProbesReopenItWithoutLogging() {
    CircuitBreakingStore store = unhurriedStore(2);
    nodes.failing.add("a");
    failCalls("a", 5);
    for (int round = 0; round < 3; round++) {
      nodes.observer.recovered();
      assertThat(fails(store, "a")).isTrue();
      assertThat(fails(store, "a")).isTrue();
      assertThat(store.state()).isEqualTo(BreakerState.OPEN);
    }
    nodes.failing.clear();
    nodes.observer.recovered();
    assertThat(fails(store, "a")).isFalse();
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    assertThat(log)
        .containsExactly(
            "circuit breaker of the store at a opened, failure strategies decide: on purpose",
            "circuit breaker of the store at a closed, the store decides again");
  }

  @Test
  void probesFromBeforeTheRecoveryDoNotCount() {
    CircuitBreakingStore store = unhurriedStore(3);
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.failing.add("a");
    assertThat(fails(store, "a")).isTrue();
    nodes.hold = true;
    var late = store.acquire(at("a")).toCompletableFuture();
    nodes.hold = false;
    nodes.failing.clear();
    nodes.observer.recovered();
    nodes.held.get(0).completeExceptionally(failure());
    assertThat(late).isCompletedExceptionally();
    for (int i = 0; i < 3; i++) {
      assertThat(fails(store, "a")).as("probe %s", i).isFalse();
    }
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void denialFromMemoryIsNotAProbe() {
    CircuitBreakingStore store = unhurriedStore(3);
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.remember = true;
    for (int i = 0; i < 100; i++) {
      assertThat(fails(store, "a")).isFalse();
      store.acquireAndWait(at("a"));
    }
    assertThat(store.state()).isEqualTo(BreakerState.HALF_OPEN);

    nodes.remember = false;
    for (int i = 0; i < 3; i++) {
      assertThat(fails(store, "a")).isFalse();
    }
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void probeThatThrowsIsFailedProbe() {
    CircuitBreakingStore store = store("half-open-calls", "2", "open-duration", "1h");
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.explode = true;
    assertThat(fails(store, "a")).isTrue();
    assertThatThrownBy(() -> store.acquireAndWait(at("a"))).hasMessage("on purpose");
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void reopensWhenProbesNeverEnd() {
    CircuitBreakingStore store = store("half-open-calls", "2", "open-duration", "10ms");
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.hold = true;
    store.acquire(at("a"));
    store.acquire(at("a"));
    nodes.hold = false;
    await()
        .untilAsserted(
            () -> {
              assertThat(fails(store, "a")).isFalse();
              assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
            });
  }

  /** A breaker that has closed is not opened again by a thread that waited for a probe too long. */
  @Test
  void doesNotReopenAfterLateProbeHasClosedIt() throws Exception {
    Duration commandTimeout = Duration.ofMillis(1);
    Map<String, String> properties =
        Map.of(
            "rl.circuit-breaker.half-open-calls", "2",
            "rl.circuit-breaker.open-duration", "1ms");
    ExecutorService threads = Executors.newFixedThreadPool(2);
    int rounds = 500;
    try {
      for (int round = 0; round < rounds; round++) {
        CircuitBreakingStore store = store(commandTimeout, properties);
        failCalls("a", 5);
        nodes.observer.recovered();
        assertThat(fails(store, "a")).as("first probe").isFalse();
        nodes.hold = true;
        var unused = store.acquire(at("a"));
        assertThat(fails(store, "a")).as("no probe left").isTrue();
        nodes.hold = false;
        long probesExpire = System.nanoTime() + Duration.ofMillis(3).toNanos();
        while (System.nanoTime() - probesExpire < 0) {
          Thread.onSpinWait();
        }
        CyclicBarrier start = new CyclicBarrier(2);
        Future<?> probe =
            threads.submit(
                () -> {
                  start.await();
                  nodes.answerHeld("a");
                  return null;
                });
        Future<?> other =
            threads.submit(
                () -> {
                  start.await();
                  return store.acquire(at("a"));
                });
        probe.get(10, TimeUnit.SECONDS);
        other.get(10, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(log.stream().filter(line -> line.contains("opened"))).hasSize(rounds);
  }

  @Test
  void closesWithoutTrafficWhenStoreDecidesAgain() {
    CircuitBreakingStore store = store("half-open-calls", "3", "open-duration", "20ms");
    failCalls("a", 5);
    nodes.failing.add("a");
    await()
        .during(Duration.ofMillis(300))
        .until(
            () -> {
              nodes.observer.alive();
              return store.state() != BreakerState.CLOSED;
            });
    assertThat(nodes.acquired).as("probes that failed").isGreaterThan(3);
    nodes.failing.clear();
    await()
        .until(
            () -> {
              nodes.observer.alive();
              return store.state() == BreakerState.CLOSED;
            });
    int probes = nodes.acquired;
    nodes.observer.alive();
    assertThat(nodes.acquired).as("none while closed").isEqualTo(probes);
  }

  @Test
  void sendsNoProbeOfItsOwnWhileThereIsTraffic() {
    CircuitBreakingStore store = unhurriedStore(3);
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.observer.alive();
    assertThat(nodes.acquired).isZero();
    assertThat(store.state()).isEqualTo(BreakerState.HALF_OPEN);
  }

  @Test
  void forgetsNodeThatLeftTheClusterWithoutTraffic() {
    CircuitBreakingStore store = store("open-duration", "20ms");
    failCalls("left", 5);
    await()
        .until(
            () -> {
              nodes.observer.alive();
              return store.state() == BreakerState.CLOSED;
            });
    assertThat(nodes.acquired).isZero();
    assertThat(log).last().asString().contains("left").contains("needed");
  }

  @Test
  void concurrentProbesCloseTheBreaker() throws Exception {
    CircuitBreakingStore store = unhurriedStore(1);
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      for (int round = 0; round < 5_000; round++) {
        failCalls("a", 5);
        CyclicBarrier start = new CyclicBarrier(3);
        List<Future<?>> tries = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          tries.add(
              threads.submit(
                  () -> {
                    start.await();
                    nodes.observer.recovered();
                    fails(store, "a");
                    return null;
                  }));
        }
        for (Future<?> each : tries) {
          each.get(10, TimeUnit.SECONDS);
        }
        assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
