package dev.redline.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.Settings;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CircuitBreakingStoreTest {
  private static final BucketLimits LIMITS =
      new BucketLimits(OwnerKind.RULE, "r", List.of(RateLimitBand.of(1000, 1, Duration.ofDays(1))));

  private static StoreException failure() {
    return new StoreException(StoreException.Kind.UNAVAILABLE, "on purpose");
  }

  /** A store whose nodes are named after identities, and whose calls the test simulates. */
  private static final class SimulatedStore implements RemoteStore {
    private final LocalStore behind = new LocalStore();
    private final List<String> failing = new ArrayList<>();
    private final List<CompletableFuture<Outcome>> held = new ArrayList<>();
    private boolean hold;
    private boolean remember;
    private boolean explode;
    private int acquired;
    private int nodeLookups;
    private CallObserver observer;

    @Override
    public String type() {
      return "nodes";
    }

    @Override
    public List<String> nodes(Acquisition acquisition) {
      nodeLookups++;
      List<String> nodes = new ArrayList<>();
      for (int i = 0; i < acquisition.size(); i++) {
        nodes.add(acquisition.key(i).identity());
      }
      return nodes;
    }

    @Override
    public void observe(CallObserver newObserver) {
      observer = newObserver;
    }

    @Override
    public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
      return remember;
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      acquired++;
      if (explode) {
        throw new IllegalStateException("on purpose");
      }
      if (remember) {
        return CompletableFuture.completedFuture(new Outcome());
      }
      if (hold) {
        CompletableFuture<Outcome> later = new CompletableFuture<>();
        held.add(later);
        return later;
      }
      if (nodes(acquisition).stream().anyMatch(failing::contains)) {
        return CompletableFuture.failedFuture(failure());
      }
      nodes(acquisition).forEach(node -> observer.answered(node, 1000));
      return behind.acquire(acquisition);
    }

    private void answerHeld(String node) {
      observer.answered(node, 1000);
      held.forEach(probe -> probe.complete(new Outcome()));
      held.clear();
    }

    @Override
    public void close() {
      behind.close();
    }
  }

  private final SimulatedStore nodes = new SimulatedStore();
  private final List<String> log = new ArrayList<>();
  private final Logger logger = Logger.getLogger(CircuitBreakingStore.class.getName());
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord record) {
          log.add(record.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
    nodes.close();
  }

  private CircuitBreakingStore store(String... properties) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < properties.length; i += 2) {
      map.put("rl.circuit-breaker." + properties[i], properties[i + 1]);
    }
    return store(Duration.ofMillis(50), map);
  }

  private CircuitBreakingStore store(Duration commandTimeout, Map<String, String> properties) {
    return new CircuitBreakingStore(
        nodes, Settings.parse(properties).circuitBreaker(), commandTimeout);
  }

  private static Acquisition at(String... names) {
    Acquisition.Builder all = Acquisition.builder();
    for (int i = 0; i < names.length; i++) {
      BucketLimits limits =
          i == 0 ? LIMITS : new BucketLimits(OwnerKind.PLAN, "p" + i, bandsOf(LIMITS));
      all.take(new RateLimitKey(limits, names[i]), 1);
    }
    return all.build();
  }

  private static List<RateLimitBand> bandsOf(BucketLimits limits) {
    return List.of(limits.band(0).band());
  }

  private static boolean fails(CircuitBreakingStore store, String... names) {
    return store.acquire(at(names)).toCompletableFuture().isCompletedExceptionally();
  }

  private void failCalls(String node, int count) {
    for (int i = 0; i < count; i++) {
      nodes.observer.failed(node, 1000, failure());
    }
  }

  private void answerCalls(String node, int count) {
    for (int i = 0; i < count; i++) {
      nodes.observer.answered(node, 1000);
    }
  }

  @Test
  void staysClosedWhileNodeReplies() {
    CircuitBreakingStore store = store();
    answerCalls("a", 100);
    failCalls("a", 4);
    answerCalls("a", 1);
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void opensAfterConsecutiveFailuresDespiteEarlierSuccesses() {
    CircuitBreakingStore store = store();
    answerCalls("a", 10_000);
    failCalls("a", 5);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
    assertThat(fails(store, "a")).isTrue();
    assertThat(nodes.acquired).isZero();
  }

  @Test
  void opensAtFailureRateOnceThereAreEnoughCalls() {
    CircuitBreakingStore store = store("failures-in-a-row", "1000", "minimum-calls", "20");
    for (int i = 0; i < 9; i++) {
      failCalls("a", 1);
      answerCalls("a", 1);
    }
    failCalls("a", 1);
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    failCalls("a", 1);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void opensWhenAllCallsAreSlow() {
    CircuitBreakingStore store = store("minimum-calls", "20");
    for (int i = 0; i < 20; i++) {
      nodes.observer.answered("a", Duration.ofMillis(45).toNanos());
    }
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void failingNodeDoesNotAffectOtherNodes() {
    CircuitBreakingStore store = store();
    failCalls("a", 5);
    assertThat(fails(store, "b")).isFalse();
    assertThat(fails(store, "a", "b")).isTrue();
    assertThat(fails(store, "b", "a")).isTrue();
    assertThat(nodes.acquired).isEqualTo(1);
  }

  @Test
  void usesDenyCacheUnlessNodeOfKeyFails() {
    CircuitBreakingStore store = store("open-duration", "1h");
    nodes.remember = true;
    assertThat(store.acquireNow(at("a"), new Outcome())).isTrue();
    failCalls("a", 5);
    assertThat(store.acquireNow(at("a"), new Outcome())).isFalse();
    assertThat(store.acquireNow(at("b", "a"), new Outcome())).isFalse();
    assertThat(store.acquireNow(at("b"), new Outcome())).isTrue();
  }

  @Test
  void doesNotLookUpNodesWhileAllBreakersAreClosed() {
    CircuitBreakingStore store = store();
    answerCalls("a", 1);
    nodes.remember = true;
    assertThat(store.acquireNow(at("a"), new Outcome())).isTrue();
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.acquireAndWait(at("a"))).isNotNull();
    assertThat(nodes.nodeLookups).isZero();
  }

  @Test
  void sendsOnlyProbesWhileHalfOpen() {
    CircuitBreakingStore store = store("half-open-calls", "3");
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
    CircuitBreakingStore store = store("half-open-calls", "2");
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
  void logsOutageOnceInStoreOrBreaker() {
    CircuitBreakingStore store = store("half-open-calls", "1");
    assertThat(fails(store, "a")).isFalse();
    nodes.observer.answered("a", 1);
    assertThat(nodes.observer.away()).as("logged by the breaker").isFalse();
    failCalls("a", 5);
    nodes.observer.recovered();
    assertThat(fails(store, "a")).isFalse();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
    assertThat(log).isEmpty();

    failCalls("a", 5);
    assertThat(nodes.observer.away()).as("logged by the breaker").isTrue();
    nodes.observer.recovered();
    assertThat(fails(store, "a")).isFalse();
    assertThat(log).hasSize(2);
  }

  @Test
  void malformedValueIsNotNodeFailure() {
    CircuitBreakingStore store = store("half-open-calls", "1");
    failCalls("a", 5);
    nodes.observer.recovered();
    nodes.hold = true;
    CompletableFuture<Outcome> probe = store.acquire(at("a")).toCompletableFuture();
    answerCalls("a", 1);
    nodes
        .held
        .get(0)
        .completeExceptionally(new StoreException(StoreException.Kind.BAD_STATE, "poisoned"));
    assertThat(probe).isCompletedExceptionally();
    assertThat(store.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void boundsNumberOfBreakers() {
    CircuitBreakingStore store = store();
    for (int i = 0; i < 1000; i++) {
      answerCalls("node-" + i, 1);
    }
    failCalls("node-0", 5);
    for (int i = 0; i < 1000; i++) {
      answerCalls("later-" + i, 1);
    }
    assertThat(store.state()).as("the one that is open is kept").isEqualTo(BreakerState.OPEN);
  }

  @Test
  void denialFromMemoryIsNotAProbe() {
    CircuitBreakingStore store = store("half-open-calls", "3", "open-duration", "1h");
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
  void concurrentProbesCloseTheBreaker() throws Exception {
    // No call of these is slow, however busy the machine.
    CircuitBreakingStore store =
        store(
            Duration.ofHours(1),
            Map.of(
                "rl.circuit-breaker.half-open-calls", "1",
                "rl.circuit-breaker.open-duration", "1h"));
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

  @Test
  void forgetsOpenNodeThatLeftTheCluster() {
    CircuitBreakingStore store = store("open-duration", "100ms");
    failCalls("left", 5);
    assertThat(store.state()).isEqualTo(BreakerState.OPEN);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> !fails(store, "successor") && store.state() == BreakerState.CLOSED);
    assertThat(log).last().asString().contains("left").contains("needed");
  }

  @Test
  void neededNodeStaysOpenWhileItFails() {
    CircuitBreakingStore store = store("open-duration", "100ms");
    nodes.failing.add("needed");
    failCalls("needed", 5);
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                fails(store, "needed")
                    && !fails(store, "other")
                    && store.state() != BreakerState.CLOSED);
  }
}
