package dev.redline.core;

import static dev.redline.core.EngineFixture.request;
import static dev.redline.core.EngineFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.redline.core.DecisionListener.LimitExceeded;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.StorageProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DecisionListenerTest {
  private final StorageProvider store = new LocalStore();
  private final Logger log = Logger.getLogger(ListenerDispatcher.class.getName());
  private final List<RateLimitEngine> engines = new ArrayList<>();
  private final BlockingQueue<RateLimitResult> notified = new LinkedBlockingQueue<>();

  @BeforeEach
  void expectWarnings() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void close() {
    log.setLevel(null);
    engines.forEach(RateLimitEngine::close);
    store.close();
  }

  private RateLimitEngine engine(MetricsExporter metrics, DecisionListener... listeners) {
    RateLimitEngine engine =
        RateLimitEngine.builder(store)
            .book(
                EngineFixture.book(
                    rule("r", 2).metadata("tier", "premium"), rule("x", 1).path("/x")))
            .metrics(metrics)
            .listeners(List.of(listeners))
            .build();
    engines.add(engine);
    return engine;
  }

  private RateLimitEngine engine(DecisionListener... listeners) {
    return engine(MetricsExporter.NONE, listeners);
  }

  private RateLimitResult next() throws InterruptedException {
    RateLimitResult result = notified.poll(10, TimeUnit.SECONDS);
    assertThat(result).as("a decision within 10 s").isNotNull();
    return Objects.requireNonNull(result);
  }

  @Test
  void notifiesListenersOfCheckResultAndRules() throws InterruptedException {
    BlockingQueue<List<RateLimitRule>> rules = new LinkedBlockingQueue<>();
    BlockingQueue<LimitCheck> checks = new LinkedBlockingQueue<>();
    RateLimitEngine engine =
        engine(
            (check, result, applied) -> {
              checks.add(check);
              rules.add(applied);
              notified.add(result);
            });
    RateLimitResult first = engine.check(request("/"));
    RateLimitResult second = engine.checkAsync(request("/")).toCompletableFuture().join();
    assertThat(List.of(next(), next())).containsExactly(first, second);
    assertThat(checks).allMatch(check -> check instanceof LimitCheck.OfRequest);
    List<RateLimitRule> applied = rules.remove();
    assertThat(applied).extracting(RateLimitRule::id).containsExactly("r");
    assertThat(applied.get(0).metadata()).containsEntry("tier", "premium");
  }

  @Test
  void doesNotNotifyOfDryRunsAndExplanations() throws InterruptedException {
    RateLimitEngine engine = engine((check, result, applied) -> notified.add(result));
    engine.decideNow(LimitCheck.ofRequest(request("/")), true);
    engine.explain(LimitCheck.ofRequest(request("/"))).toCompletableFuture().join();
    RateLimitResult real = engine.check(request("/"));
    assertThat(next()).isSameAs(real);
    assertThat(notified).isEmpty();
  }

  @Test
  void aListenerThatThrowsChangesNeitherDecisionsNorOtherListeners() throws InterruptedException {
    RateLimitEngine engine =
        engine(
            (check, result, applied) -> {
              throw new IllegalStateException("on purpose");
            },
            (check, result, applied) -> {
              throw new AssertionError("on purpose");
            },
            (check, result, applied) -> notified.add(result));
    assertThat(engine.check(request("/")).remaining()).hasValue(1);
    assertThat(engine.checkAsync(request("/")).toCompletableFuture().join().remaining())
        .hasValue(0);
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(List.of(next(), next(), next())).hasSize(3);
  }

  @Test
  void aListenerThatAlwaysThrowsIsLoggedOnce() {
    List<String> messages = new CopyOnWriteArrayList<>();
    DecisionListener listener =
        new DecisionListener() {
          @Override
          public void decided(
              LimitCheck check, RateLimitResult result, List<RateLimitRule> rules) {}

          @Override
          public boolean wants(RateLimitResult result) {
            throw new IllegalStateException("on purpose");
          }
        };
    Handler handler = new CollectingHandler(messages);
    log.setLevel(Level.ALL);
    log.setUseParentHandlers(false);
    log.addHandler(handler);
    try {
      RateLimitEngine engine = engine(listener);
      for (int i = 0; i < 1000; i++) {
        engine.check(request("/"));
      }
      // Listeners of other tests may still be failing on their own threads.
      assertThat(messages)
          .containsOnlyOnce("a decision listener failed: " + listener.getClass().getName());
    } finally {
      log.removeHandler(handler);
      log.setUseParentHandlers(true);
    }
  }

  @Test
  void aListenerThatBlocksDelaysNoDecisionAndDroppedEventsAreCounted() throws InterruptedException {
    CountDownLatch blocking = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AtomicInteger dropped = new AtomicInteger();
    MetricsExporter metrics =
        new MetricsExporter() {
          @Override
          public RuleMeter meter(String ruleSetId, String ruleId) {
            return RuleMeter.NONE;
          }

          @Override
          public void eventDropped() {
            dropped.incrementAndGet();
          }
        };
    RateLimitEngine engine =
        engine(
            metrics,
            (check, result, applied) -> {
              blocking.countDown();
              await(free);
            });
    engine.check(request("/"));
    assertThat(blocking.await(10, TimeUnit.SECONDS)).isTrue();

    // Were any of these held up by the listener, the test would never come to its end.
    for (int i = 0; i < 10_000; i++) {
      engine.check(request("/"));
    }
    assertThat(engine.check(request("/")).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(dropped.get()).isEqualTo(10_001 - 4096);
    free.countDown();
  }

  private static List<Thread> threadsOf(DecisionListener listener) {
    String name = "redline-listener-" + listener.getClass().getSimpleName();
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .toList();
  }

  /** Blocks, and swallows the interrupt that ends it. */
  private static final class Stubborn implements DecisionListener {
    private final CountDownLatch called = new CountDownLatch(1);

    @Override
    public void decided(LimitCheck check, RateLimitResult result, List<RateLimitRule> rules) {
      called.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        // Swallowed on purpose.
      }
    }
  }

  @Test
  void closingEndsTheThreadOfAListenerThatSwallowsInterrupts() throws InterruptedException {
    Stubborn listener = new Stubborn();
    RateLimitEngine engine = engine(listener);
    engine.check(request("/"));
    await(listener.called);
    List<Thread> threads = threadsOf(listener);
    assertThat(threads).hasSize(1);

    engine.close();

    threads.get(0).join(10_000);
    assertThat(threads.get(0).isAlive()).isFalse();
  }

  @Test
  void anEngineThatCannotBeBuiltLeavesNoThread() throws InterruptedException {
    StorageProvider remote =
        new ForwardingStore() {
          @Override
          protected StorageProvider delegate() {
            return store;
          }
        };
    EngineSettings closed =
        new EngineSettings(false, Optional.empty(), MissingRules.ALLOW, OnStoreFailure.CLOSED, 1.0);
    Stubborn listener = new Stubborn();
    RateLimitEngine.Builder builder =
        RateLimitEngine.builder(remote)
            .settings(closed)
            .book(EngineFixture.book(rule("r", 2).onStoreFailure(OnStoreFailure.LOCAL)))
            .listeners(List.of(listener));

    assertThatIllegalArgumentException().isThrownBy(builder::build);

    for (Thread thread : threadsOf(listener)) {
      thread.join(10_000);
    }
    assertThat(threadsOf(listener)).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void eventContainsADigestInsteadOfTheIdentity() throws InterruptedException {
    BlockingQueue<LimitExceeded> events = new LinkedBlockingQueue<>();
    RateLimitEngine engine = engine(DecisionListener.ofExceeded(events::add));
    for (int i = 0; i < 3; i++) {
      engine.check(request("/"));
    }
    LimitExceeded event = Objects.requireNonNull(events.poll(10, TimeUnit.SECONDS));
    assertThat(event.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(event.ruleId()).hasValue("r");
    assertThat(event.path()).hasValue("/");
    assertThat(event.retryAfterMs()).isPresent();
    assertThat(event.identityDigest().orElseThrow()).matches("x:[0-9a-f]{64}");
    assertThat(events).isEmpty();
  }
}
