package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every acquisition completes in time, also while the continuations of others block. */
@Tag("stress")
@Tag("faults")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompletionTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static final int MANY = 40;

  private final FaultProxy proxy = FaultProxy.to(REDIS.get());
  private final CountDownLatch release = new CountDownLatch(1);
  private final RedisStore store = start(Duration.ofSeconds(2));

  private RedisStore start(Duration timeout) {
    RedisStore started =
        RedisStore.start(RedisSettings.of(proxy.uri()).withCommandTimeout(timeout));
    assertThat(started.awaitReady(Duration.ofSeconds(30))).isTrue();
    return started;
  }

  @AfterEach
  void close() {
    release.countDown();
    store.close();
    proxy.close();
  }

  private static Acquisition one(int caller) {
    return Acquisition.of(
        new RateLimitKey(Nodes.rule("completed", Nodes.slow(100_000)), "caller-" + caller), 1);
  }

  private static Outcome get(CompletableFuture<Outcome> result)
      throws InterruptedException, ExecutionException, TimeoutException {
    return result.get(20, TimeUnit.SECONDS);
  }

  @Test
  void completesAcquisitionInsideSlowContinuation() throws Exception {
    CompletableFuture<Outcome> result =
        store
            .acquire(one(0))
            .thenApply(
                first -> {
                  pause(400);
                  return store.acquire(one(1)).toCompletableFuture().join();
                })
            .toCompletableFuture();
    assertThat(get(result).allowed()).isTrue();
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void block(Outcome ignored) {
    await(release);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** More continuations than there are threads, some of them in one call. */
  private void blockContinuations() {
    proxy.stall();
    for (int i = 0; i < MANY; i++) {
      var unused = store.acquire(one(i)).thenAccept(this::block);
    }
    proxy.resume();
  }

  @Test
  void completesWhileOtherContinuationsBlock() throws Exception {
    blockContinuations();
    for (int i = 0; i < 10; i++) {
      assertThat(get(store.acquire(one(i)).toCompletableFuture()).allowed()).isTrue();
      assertThat(store.acquireAndWait(one(i)).allowed()).isTrue();
    }
    assertThat(release.getCount()).isEqualTo(1);
  }

  @Test
  void completesWholeCallWhenItsFirstContinuationBlocks() throws Exception {
    assertThat(store.acquireAndWait(one(0)).allowed()).isTrue();
    proxy.stall();
    List<CompletableFuture<Outcome>> results = new ArrayList<>();
    var leaves = store.acquire(one(0));
    for (int i = 0; i < 64; i++) {
      CompletableFuture<Outcome> result = store.acquire(one(i)).toCompletableFuture();
      if (i % 8 == 0) {
        // Not joined: a joining thread would help to run the continuation.
        var unused = result.thenAccept(this::block);
      } else {
        results.add(result.thenApply(outcome -> outcome));
      }
    }
    proxy.resume();
    for (CompletableFuture<Outcome> result : results) {
      assertThat(get(result).allowed()).isTrue();
    }
    assertThat(get(leaves.toCompletableFuture()).allowed()).isTrue();
    assertThat(release.getCount()).isEqualTo(1);
  }

  @Test
  void timesOutWhileOtherContinuationsBlock() {
    blockContinuations();
    assertThat(store.acquireAndWait(one(0)).allowed()).isTrue();
    proxy.stall();
    CompletableFuture<Outcome> stalled = store.acquire(one(1)).toCompletableFuture();
    assertThatThrownBy(() -> store.acquireAndWait(one(2))).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> get(stalled.thenApply(outcome -> outcome)))
        .hasCauseInstanceOf(StoreException.class);
  }

  /** Returns the name of the thread that runs a continuation. */
  private static CompletableFuture<String> threadOf(CompletionStage<Outcome> stage) {
    return stage.thenApply(outcome -> Thread.currentThread().getName()).toCompletableFuture();
  }

  @Test
  void completesCallersWithEventLoopOnIoThread() throws Exception {
    proxy.stall();
    CompletableFuture<String> first = threadOf(store.acquireForEventLoop(one(0)));
    CompletableFuture<String> second = threadOf(store.acquireForEventLoop(one(1)));
    proxy.resume();
    assertThat(first.get(20, TimeUnit.SECONDS)).startsWith("lettuce-");
    assertThat(second.get(20, TimeUnit.SECONDS)).startsWith("lettuce-");
  }

  @Test
  void neverRunsOtherContinuationsOnIoThread() throws Exception {
    proxy.stall();
    List<CompletableFuture<String>> threads = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      CompletableFuture<String> thread = threadOf(store.acquire(one(i)));
      var unused = store.acquireForEventLoop(one(i));
      threads.add(thread);
    }
    proxy.resume();
    for (CompletableFuture<String> thread : threads) {
      assertThat(thread.get(20, TimeUnit.SECONDS)).startsWith("redline-redis-");
    }
  }

  @Test
  void failsAllAcquisitionsWhenClosed() {
    proxy.stall();
    List<CompletableFuture<Outcome>> results = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      results.add(store.acquire(one(i)).toCompletableFuture());
    }
    store.close();
    for (CompletableFuture<Outcome> result : results) {
      assertThatThrownBy(() -> get(result)).hasCauseInstanceOf(StoreException.class);
    }
    assertThatThrownBy(() -> get(store.acquire(one(0)).toCompletableFuture()))
        .hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void deliversTimeoutOnce() {
    PendingAcquisition pending =
        new PendingAcquisition(
            one(0),
            new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4)),
            System.nanoTime(),
            Waiter.CONTINUATIONS);
    assertThat(pending.tryExpire()).isTrue();
    assertThat(pending.tryExpire()).isFalse();
  }

  @Test
  void completesWhenObserverThrows() throws Exception {
    store.observe(
        new RemoteStore.CallObserver() {
          @Override
          public void answered(String node, long nanos) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void failed(String node, long nanos, StoreException failure) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void recovered() {}
        });
    assertThat(get(store.acquire(one(0)).toCompletableFuture()).allowed()).isTrue();
    proxy.stall();
    CompletableFuture<Outcome> stalled = store.acquire(one(1)).toCompletableFuture();
    assertThatThrownBy(() -> get(stalled)).hasCauseInstanceOf(StoreException.class);
    proxy.resume();
  }

  @Test
  void failsAcquisitionWhenReadingReplyThrows() {
    PendingAcquisition pending =
        new PendingAcquisition(
            one(0),
            new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4)),
            System.nanoTime(),
            Waiter.CONTINUATIONS);
    ResultDelivery delivery =
        new ResultDelivery(
            List.of(pending),
            () -> {
              throw new IllegalStateException("on purpose");
            });
    delivery.run();
    assertThat(delivery.isComplete()).isTrue();
    assertThatThrownBy(() -> get(pending)).hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void completesWhileContinuationsOfResetsBlock() throws Exception {
    CountDownLatch blocking = new CountDownLatch(1);
    proxy.stall();
    var unused =
        store
            .reset(one(0).key(0))
            .thenAccept(
                done -> {
                  blocking.countDown();
                  block(new Outcome());
                });
    proxy.resume();
    assertThat(blocking.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(store.acquireAndWait(one(0)).allowed()).isTrue();
    assertThat(release.getCount()).isEqualTo(1);
  }

  @Test
  void completionThreadsHaveDifferentNames() throws Exception {
    Set<String> names = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(2);
    try (CompletionThreads completionThreads = new CompletionThreads()) {
      for (int i = 0; i < 2; i++) {
        completionThreads.deliver(
            new ResultDelivery(
                List.of(),
                () -> {
                  names.add(Thread.currentThread().getName());
                  both.countDown();
                  await(both);
                  return new Object[0];
                }));
      }
      assertThat(both.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(names).hasSize(2).allMatch(name -> name.startsWith("redline-redis-completion-"));
  }

  @Test
  void deadlineThreadSurvivesError() throws Exception {
    CompletionThreads completionThreads = new CompletionThreads();
    try (completionThreads;
        Deadlines deadlines =
            new Deadlines(
                new Lanes(),
                new QueueLimit(1, 1, Duration.ofSeconds(1)),
                completionThreads,
                RedisSettings.of(proxy.uri()),
                System::nanoTime)) {
      deadlines.start();
      CountDownLatch later = new CountDownLatch(1);
      deadlines.schedule(
          () -> {
            throw new OutOfMemoryError("on purpose");
          });
      deadlines.schedule(later::countDown);
      assertThat(later.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
