package dev.redline.core.internal.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class CallThreadsTest {
  private static final Acquisition ONE =
      Acquisition.of(
          new RateLimitKey(
              new BucketLimits(OwnerKind.RULE, "r", List.of(RateLimitBand.parse("1/s"))), "x"),
          1);

  @Test
  void callThatThrowsAnywhereFailsItsAcquisitionsAndNoFurtherOnes() throws Exception {
    AtomicBoolean broken = new AtomicBoolean(true);
    CallThreads.Call<Acquisition, Outcome> call =
        new CallThreads.Call<>() {
          @Override
          public String node(Acquisition first) {
            if (broken.get()) {
              throw new IllegalStateException("no such node");
            }
            return "node";
          }

          @Override
          public Object[] run(List<PendingCall<Acquisition, Outcome>> batch) {
            return new Object[] {new Outcome()};
          }

          @Override
          public StoreException failure(Exception e) {
            return new StoreException(StoreException.Kind.UNAVAILABLE, "failed", e);
          }
        };
    CallThreads.Settings settings =
        new CallThreads.Settings("test", "a test", 2, 2, 1, 100, Duration.ofSeconds(30));
    try (CallThreads<Acquisition, Outcome> threads =
        new CallThreads<>(settings, call, new CallReports())) {
      for (int i = 0; i < 10; i++) {
        PendingCall<Acquisition, Outcome> pending = threads.submit(ONE, true);
        assertThatThrownBy(() -> pending.get(20, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .hasRootCauseInstanceOf(StoreException.class)
            .hasMessageContaining("no such node");
      }
      broken.set(false);
      assertThat(threads.submit(ONE, true).get(20, TimeUnit.SECONDS)).isNotNull();
    }
  }

  /** A call that records its thread, and waits while the gate is shut. */
  private static final class GatedCall implements CallThreads.Call<Acquisition, Outcome> {
    final List<Thread> threads = new CopyOnWriteArrayList<>();
    volatile CountDownLatch gate = new CountDownLatch(0);

    @Override
    public String node(Acquisition first) {
      return "node";
    }

    @Override
    public Object[] run(List<PendingCall<Acquisition, Outcome>> batch) throws Exception {
      threads.add(Thread.currentThread());
      gate.await();
      return batch.stream().map(each -> new Outcome()).toArray();
    }

    @Override
    public StoreException failure(Exception e) {
      return new StoreException(StoreException.Kind.UNAVAILABLE, "failed", e);
    }
  }

  private static CallThreads<Acquisition, Outcome> gated(
      GatedCall call, int threads, Duration timeout) {
    return new CallThreads<>(
        new CallThreads.Settings("test", "a test", threads, threads, 64, 100, timeout),
        call,
        new CallReports());
  }

  @Test
  void loneCallerMakesTheCallOnItsOwnThread() {
    GatedCall call = new GatedCall();
    try (CallThreads<Acquisition, Outcome> threads = gated(call, 2, Duration.ofSeconds(30))) {
      for (int i = 0; i < 3; i++) {
        assertThat(threads.callOrSubmit(ONE).join()).isNotNull();
      }
      assertThat(call.threads).hasSize(3).containsOnly(Thread.currentThread());
    }
  }

  @Test
  void callerThatIsNotAloneIsQueued() throws Exception {
    GatedCall call = new GatedCall();
    try (CallThreads<Acquisition, Outcome> threads = gated(call, 1, Duration.ofSeconds(30))) {
      CountDownLatch gate = new CountDownLatch(1);
      call.gate = gate;
      CompletableFuture<Outcome> first =
          CompletableFuture.supplyAsync(() -> threads.callOrSubmit(ONE).join());
      while (call.threads.isEmpty()) {
        Thread.onSpinWait();
      }
      PendingCall<Acquisition, Outcome> second = threads.callOrSubmit(ONE);
      PendingCall<Acquisition, Outcome> third = threads.callOrSubmit(ONE);
      assertThat(second).isNotDone();
      gate.countDown();
      assertThat(first.get(20, TimeUnit.SECONDS)).isNotNull();
      assertThat(second.get(20, TimeUnit.SECONDS)).isNotNull();
      assertThat(third.get(20, TimeUnit.SECONDS)).isNotNull();
      assertThat(call.threads).as("the queued ones share a call").hasSize(2);
      assertThat(call.threads).doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void callersThreadsAreKeptFromCallsAfterOneWasOverdue() {
    GatedCall call = new GatedCall();
    try (CallThreads<Acquisition, Outcome> threads = gated(call, 2, Duration.ofMillis(500))) {
      CountDownLatch gate = new CountDownLatch(1);
      call.gate = gate;
      CompletableFuture<Outcome> overdue =
          CompletableFuture.supplyAsync(() -> threads.callOrSubmit(ONE).join());
      while (call.threads.isEmpty()) {
        Thread.onSpinWait();
      }
      // It is queued, and fails with its deadline, which is not before that of the first one.
      assertThatThrownBy(() -> threads.callOrSubmit(ONE).join())
          .hasRootCauseInstanceOf(StoreException.class);
      gate.countDown();
      assertThatThrownBy(overdue::join)
          .hasRootCauseInstanceOf(StoreException.class)
          .hasMessageContaining("unknown whether");
      call.threads.clear();
      assertThat(threads.callOrSubmit(ONE).join()).isNotNull();
      assertThat(call.threads).hasSize(1).doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void interruptedOrLateCallerIsQueued() {
    GatedCall call = new GatedCall();
    CallThreads<Acquisition, Outcome> threads = gated(call, 2, Duration.ofSeconds(30));
    Thread.currentThread().interrupt();
    PendingCall<Acquisition, Outcome> pending = threads.callOrSubmit(ONE);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(pending.join()).isNotNull();
    assertThat(call.threads).hasSize(1).doesNotContain(Thread.currentThread());

    threads.close();
    assertThatThrownBy(() -> threads.callOrSubmit(ONE).join())
        .hasMessageContaining("the store is closed");
  }
}
