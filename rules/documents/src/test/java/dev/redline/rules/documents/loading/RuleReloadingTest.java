package dev.redline.rules.documents.loading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RuleReloadingTest {
  private static final Duration NEVER = Duration.ofHours(1);

  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine = RateLimitEngine.builder(store).build();
  private RuleLoader loader;
  private RuleReloading reloading;

  /** A source whose waits and loads a test controls. */
  private static final class ControlledSource implements ConfigProvider {
    private final String name;
    final Semaphore changes = new Semaphore(0);
    final AtomicInteger loads = new AtomicInteger();
    volatile String content;
    volatile Optional<Duration> pollInterval = Optional.empty();
    volatile boolean unwatchable;
    volatile IOException failure;
    volatile Error error;
    volatile CountDownLatch blocked = new CountDownLatch(0);
    volatile boolean loadInterrupted;

    ControlledSource(String name) {
      this.name = name;
      this.content = "rules: [{ id: " + name + "-1, limit: 1/s }]";
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Optional<Snapshot> load() throws IOException {
      loads.incrementAndGet();
      try {
        blocked.await();
      } catch (InterruptedException e) {
        loadInterrupted = true;
        Thread.currentThread().interrupt();
      }
      if (failure != null) {
        throw failure;
      }
      if (error != null) {
        throw error;
      }
      return Optional.of(new Snapshot(content, List.of(new Document(name, content))));
    }

    @Override
    public void awaitChange(Duration atMost) throws IOException, InterruptedException {
      if (unwatchable) {
        throw new IOException("cannot be watched");
      }
      if (error != null) {
        throw error;
      }
      if (changes.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS)) {
        changes.drainPermits();
      }
    }

    @Override
    public Optional<Duration> pollInterval() {
      return pollInterval;
    }

    void change(String id) {
      content = "rules: [{ id: " + id + ", limit: 1/s }]";
      changes.release();
    }
  }

  private void start(ControlledSource... sources) {
    loader =
        RuleLoader.builder(engine, Arrays.stream(sources).map(RuleSource::dynamic).toList())
            .build();
    loader.start();
    reloading = RuleReloading.start(loader, NEVER, true);
  }

  @AfterEach
  void close() {
    if (reloading != null) {
      reloading.close();
      loader.close();
    }
    engine.close();
    store.close();
  }

  private void awaitRule(String id, Duration atMost) {
    await()
        .atMost(atMost)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> engine.book().rules().stream().anyMatch(rule -> rule.id().equals(id)));
  }

  @Test
  void loadsAsSoonAsTheSourceReportsAChange() {
    ControlledSource source = new ControlledSource("a");
    start(source);
    for (int i = 2; i < 10; i++) {
      source.change("a-" + i);
      awaitRule("a-" + i, Duration.ofSeconds(1));
    }
  }

  @Test
  void slowSourceDelaysNoOther() {
    ControlledSource slow = new ControlledSource("slow");
    ControlledSource quick = new ControlledSource("quick");
    start(slow, quick);
    await().until(() -> slow.loads.get() >= 2 && quick.loads.get() >= 2);
    slow.blocked = new CountDownLatch(1);
    slow.change("slow-2");
    await().until(() -> slow.loads.get() >= 3);

    quick.change("quick-2");
    awaitRule("quick-2", Duration.ofSeconds(1));
    slow.blocked.countDown();
    awaitRule("slow-2", Duration.ofSeconds(5));
    awaitRule("quick-2", Duration.ofSeconds(1));
  }

  @Test
  void sourceHasItsOwnPollInterval() {
    ControlledSource polled = new ControlledSource("polled");
    polled.pollInterval = Optional.of(Duration.ofMillis(50));
    ControlledSource other = new ControlledSource("other");
    start(polled, other);
    await().until(() -> polled.loads.get() > 8);
    assertThat(other.loads.get()).isEqualTo(2);
  }

  @Test
  void sourceThatReportsTooManyChangesIsLoadedLessOften() throws InterruptedException {
    ControlledSource noisy = new ControlledSource("noisy");
    start(noisy);
    await().until(() -> noisy.loads.get() == 2);
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    while (System.nanoTime() < end) {
      noisy.changes.release();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    assertThat(noisy.loads.get()).isLessThan(15);

    noisy.change("noisy-2");
    awaitRule("noisy-2", Duration.ofSeconds(1));
  }

  @Test
  void sourceThatCannotBeWatchedIsPolledWithBackoff() {
    ControlledSource source = new ControlledSource("a");
    source.unwatchable = true;
    start(source);
    await().during(Duration.ofMillis(900)).until(() -> source.loads.get() < 8);
    source.change("a-2");
    awaitRule("a-2", Duration.ofSeconds(6));

    source.unwatchable = false;
    source.change("a-3");
    awaitRule("a-3", Duration.ofSeconds(6));
  }

  @Test
  void unreachableSourceIsRetriedAndHeals() {
    ControlledSource source = new ControlledSource("a");
    start(source);
    await().until(() -> source.loads.get() == 2);
    source.failure = new IOException("no answer");
    source.change("a-2");
    await().until(() -> loader.status().errors().equals(List.of("a: no answer")));
    assertThat(engine.book().rules()).extracting(rule -> rule.id()).containsExactly("a-1");
    int loads = source.loads.get();
    await().until(() -> source.loads.get() > loads + 1);

    source.failure = null;
    awaitRule("a-2", Duration.ofSeconds(6));
    await().until(() -> loader.status().errors().isEmpty());
  }

  @Test
  void sourceHealsAfterAnErrorOfTheVirtualMachine() {
    ControlledSource source = new ControlledSource("a");
    start(source);
    await().until(() -> source.loads.get() == 2);
    source.error = new StackOverflowError("a test");
    source.change("a-2");
    await().until(() -> source.loads.get() > 4);

    source.error = null;
    awaitRule("a-2", Duration.ofSeconds(6));
  }

  @Test
  void closesAtOnceWhileWaiting() {
    start(new ControlledSource("a"), new ControlledSource("b"));
    long started = System.nanoTime();
    reloading.close();
    assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(1));
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .doesNotContain("redline-rules a", "redline-rules b");
  }

  @Test
  void letsARunningLoadFinish() throws InterruptedException {
    ControlledSource source = new ControlledSource("a");
    start(source);
    await().until(() -> source.loads.get() == 2);
    source.blocked = new CountDownLatch(1);
    source.change("a-2");
    await().until(() -> source.loads.get() == 3);
    Thread closing = new Thread(() -> reloading.close());
    closing.start();
    TimeUnit.MILLISECONDS.sleep(100);
    source.blocked.countDown();
    closing.join(Duration.ofSeconds(2).toMillis());
    assertThat(closing.isAlive()).isFalse();
    assertThat(source.loadInterrupted).isFalse();
  }

  @Test
  void invalidDocumentBecomesValidWhenAnotherSourceBringsItsPlan() {
    ControlledSource rules = new ControlledSource("rules");
    ControlledSource plans = new ControlledSource("plans");
    start(rules, plans);
    await().until(() -> rules.loads.get() == 2 && plans.loads.get() == 2);
    rules.content = "rules: [{ id: planned, plan: gold }]";
    rules.changes.release();
    await().until(() -> !loader.status().errors().isEmpty());
    int loads = rules.loads.get();

    plans.content = "plans: [{ id: gold, limit: 1/s }]";
    plans.changes.release();
    awaitRule("planned", Duration.ofSeconds(1));
    assertThat(rules.loads.get()).as("the rules are not loaded again").isEqualTo(loads);
    // The status follows the rules a moment later.
    await().until(() -> loader.status().errors().isEmpty());
  }
}
