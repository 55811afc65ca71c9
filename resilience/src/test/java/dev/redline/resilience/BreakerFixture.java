package dev.redline.resilience;

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
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store whose nodes the test lets fail, behind circuit breakers. */
abstract class BreakerFixture {
  static final BucketLimits LIMITS =
      new BucketLimits(OwnerKind.RULE, "r", List.of(RateLimitBand.of(1000, 1, Duration.ofDays(1))));

  static StoreException failure() {
    return new StoreException(StoreException.Kind.UNAVAILABLE, "on purpose");
  }

  /** A store whose nodes are named after identities, and whose calls the test simulates. */
  static final class SimulatedStore implements RemoteStore {
    final LocalStore behind = new LocalStore();
    final List<String> failing = new ArrayList<>();
    final List<CompletableFuture<Outcome>> held = new ArrayList<>();
    boolean hold;
    boolean remember;
    boolean explode;
    int acquired;
    int nodeLookups;
    CallObserver observer;

    @Override
    public String type() {
      return "nodes";
    }

    @Override
    public List<String> nodes(Acquisition acquisition) {
      nodeLookups++;
      List<String> nodes = new ArrayList<>();
      for (int i = 0; i < acquisition.size(); i++) {
        String identity = acquisition.key(i).identity();
        nodes.add(identity.matches("[0-9]+") ? nodeOfProbe(identity) : identity);
      }
      return nodes;
    }

    /** Returns the node of a key that the breaker chose; only some keys are on node "a". */
    private static String nodeOfProbe(String identity) {
      return Integer.parseInt(identity) % 7 == 3 ? "a" : "z";
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

    void answerHeld(String node) {
      observer.answered(node, 1000);
      held.forEach(probe -> probe.complete(new Outcome()));
      held.clear();
    }

    @Override
    public void close() {
      behind.close();
    }
  }

  final SimulatedStore nodes = new SimulatedStore();
  final List<String> log = new ArrayList<>();
  final Logger logger = Logger.getLogger(CircuitBreakingStore.class.getName());
  final Handler handler =
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

  CircuitBreakingStore store(String... properties) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < properties.length; i += 2) {
      map.put("rl.circuit-breaker." + properties[i], properties[i + 1]);
    }
    return store(Duration.ofMillis(50), map);
  }

  CircuitBreakingStore store(Duration commandTimeout, Map<String, String> properties) {
    return new CircuitBreakingStore(
        nodes, Settings.parse(properties).circuitBreaker(), commandTimeout);
  }

  /**
   * Returns a store whose probes are neither slow nor late, however busy the machine: the time of a
   * probe is measured, and one that takes 40 ms of the usual 50 ms opens the breaker again.
   */
  CircuitBreakingStore unhurriedStore(int probes) {
    return store(
        Duration.ofHours(1),
        Map.of(
            "rl.circuit-breaker.half-open-calls",
            Integer.toString(probes),
            "rl.circuit-breaker.open-duration",
            "1h"));
  }

  static Acquisition at(String... names) {
    Acquisition.Builder all = Acquisition.builder();
    for (int i = 0; i < names.length; i++) {
      BucketLimits limits =
          i == 0 ? LIMITS : new BucketLimits(OwnerKind.PLAN, "p" + i, bandsOf(LIMITS));
      all.take(new RateLimitKey(limits, names[i]), 1);
    }
    return all.build();
  }

  static List<RateLimitBand> bandsOf(BucketLimits limits) {
    return List.of(limits.band(0).band());
  }

  static boolean fails(CircuitBreakingStore store, String... names) {
    return store.acquire(at(names)).toCompletableFuture().isCompletedExceptionally();
  }

  void failCalls(String node, int count) {
    for (int i = 0; i < count; i++) {
      nodes.observer.failed(node, 1000, failure());
    }
  }

  void answerCalls(String node, int count) {
    for (int i = 0; i < count; i++) {
      nodes.observer.answered(node, 1000);
    }
  }
}
