package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every acquisition is answered, whatever the continuations of others do. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnsweringTest {
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
        new RateLimitKey(Nodes.rule("answered", Nodes.slow(100_000)), "caller-" + caller), 1);
  }

  private static Outcome get(CompletableFuture<Outcome> answer)
      throws InterruptedException, ExecutionException, TimeoutException {
    return answer.get(20, TimeUnit.SECONDS);
  }

  @Test
  void answersAContinuationThatRunsLongAndThenAcquiresAndWaits() throws Exception {
    CompletableFuture<Outcome> answer =
        store
            .acquire(one(0))
            .thenApply(
                first -> {
                  pause(400);
                  return store.acquire(one(1)).toCompletableFuture().join();
                })
            .toCompletableFuture();
    assertThat(get(answer).allowed()).isTrue();
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void block(Outcome ignored) {
    try {
      release.await();
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
  void answersWhileTheContinuationsOfOthersBlock() throws Exception {
    blockContinuations();
    for (int i = 0; i < 10; i++) {
      assertThat(get(store.acquire(one(i)).toCompletableFuture()).allowed()).isTrue();
      assertThat(store.acquireAndWait(one(i)).allowed()).isTrue();
    }
    assertThat(release.getCount()).isEqualTo(1);
  }

  @Test
  void answersAllOfACallThoughTheFirstContinuationBlocks() throws Exception {
    assertThat(store.acquireAndWait(one(0)).allowed()).isTrue();
    proxy.stall();
    List<CompletableFuture<Outcome>> answers = new ArrayList<>();
    var leaves = store.acquire(one(0));
    for (int i = 0; i < 64; i++) {
      CompletableFuture<Outcome> answer = store.acquire(one(i)).toCompletableFuture();
      if (i % 8 == 0) {
        // Nobody waits for this one: a thread that did would run the continuation itself.
        var unused = answer.thenAccept(this::block);
      } else {
        answers.add(answer.thenApply(outcome -> outcome));
      }
    }
    proxy.resume();
    for (CompletableFuture<Outcome> answer : answers) {
      assertThat(get(answer).allowed()).isTrue();
    }
    assertThat(get(leaves.toCompletableFuture()).allowed()).isTrue();
    assertThat(release.getCount()).isEqualTo(1);
  }

  @Test
  void timesOutWhileTheContinuationsOfOthersBlock() {
    blockContinuations();
    assertThat(store.acquireAndWait(one(0)).allowed()).isTrue();
    proxy.stall();
    CompletableFuture<Outcome> stalled = store.acquire(one(1)).toCompletableFuture();
    assertThatThrownBy(() -> store.acquireAndWait(one(2))).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> get(stalled.thenApply(outcome -> outcome)))
        .hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void answersEverythingWhenItIsClosed() {
    proxy.stall();
    List<CompletableFuture<Outcome>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(store.acquire(one(i)).toCompletableFuture());
    }
    store.close();
    for (CompletableFuture<Outcome> answer : answers) {
      assertThatThrownBy(() -> get(answer)).hasCauseInstanceOf(StoreException.class);
    }
    assertThatThrownBy(() -> get(store.acquire(one(0)).toCompletableFuture()))
        .hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void deliversATimeOutOnce() {
    PendingAcquisition ticket =
        new PendingAcquisition(
            one(0), new BucketKey.Maker("rl", BucketKey.LAYOUT), System.nanoTime(), false);
    assertThat(ticket.beginsToExpire()).isTrue();
    assertThat(ticket.beginsToExpire()).isFalse();
  }

  @Test
  void answersThoughTheObserverThrows() throws Exception {
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
  void aReplyThatCannotBeReadIsAFailureAndNotSilence() {
    PendingAcquisition ticket =
        new PendingAcquisition(
            one(0), new BucketKey.Maker("rl", BucketKey.LAYOUT), System.nanoTime(), false);
    ResultDelivery delivery =
        new ResultDelivery(
            List.of(ticket),
            () -> {
              throw new IllegalStateException("on purpose");
            });
    delivery.run();
    assertThat(delivery.isOver()).isTrue();
    assertThatThrownBy(() -> get(ticket)).hasCauseInstanceOf(StoreException.class);
  }

  @Test
  void answersWhileTheContinuationsOfResetsBlock() throws Exception {
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
  void deadlinesOutliveAnError() throws Exception {
    CompletionThreads answers = new CompletionThreads();
    try (answers;
        Deadlines deadlines =
            new Deadlines(
                new Lane[0], new AtomicInteger(), answers, RedisSettings.of(proxy.uri()))) {
      deadlines.start();
      CountDownLatch later = new CountDownLatch(1);
      deadlines.later(
          () -> {
            throw new OutOfMemoryError("on purpose");
          });
      deadlines.later(later::countDown);
      assertThat(later.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }
}
