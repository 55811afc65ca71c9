package dev.redline.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.redline.core.EngineSettings;
import dev.redline.core.RateLimit;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitExceededException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.MetricsExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for a refill through annotations, with permits and cancellation. */
@Tag("stress")
@Timeout(60)
class WaitingCallsTest {
  private static final int PERMITS = 2;

  private final LocalStore store = new LocalStore();
  private final AtomicInteger waiting = new AtomicInteger();
  private final RateLimitEngine engine =
      RateLimitEngine.builder(store)
          .book(RuleBook.of())
          .metrics(
              new MetricsExporter() {
                @Override
                public RuleMeter meter(String ruleSetId, String ruleId) {
                  return RuleMeter.NONE;
                }

                @Override
                public void waiting(int change) {
                  waiting.addAndGet(change);
                }
              })
          .settings(
              EngineSettings.DEFAULT.withWaiting(
                  OnLimitExceed.REJECT,
                  new EngineSettings.Waiting(true, Duration.ofSeconds(30), PERMITS)))
          .build();
  private final CallPlans plans = CallPlans.builder(engine).build();
  private final Service service = new Service();

  static class Service {
    final AtomicInteger ran = new AtomicInteger();

    @RateLimit(value = "1/100ms", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public String quick(String key) {
      ran.incrementAndGet();
      return Thread.currentThread().getName();
    }

    @RateLimit(value = "1/20s", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public String slow(String key) {
      ran.incrementAndGet();
      return key;
    }

    @RateLimit(value = "1/100ms", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public CompletableFuture<String> quickFuture(String key) {
      ran.incrementAndGet();
      return CompletableFuture.completedFuture(Thread.currentThread().getName());
    }

    /** Slow enough that a machine that stands still for a moment does not hide the wait. */
    @RateLimit(value = "1/2s", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public CompletableFuture<String> patientFuture(String key) {
      return quickFuture(key);
    }

    @RateLimit(value = "1/20s", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public CompletableFuture<String> slowFuture(String key) {
      ran.incrementAndGet();
      return CompletableFuture.completedFuture(key);
    }

    @RateLimit(value = "1/h", key = "#key", onLimitExceed = OnLimitExceed.WAIT_FOR_REFILL)
    public void tooSlow(String key) {}
  }

  @AfterEach
  void close() {
    engine.close();
    store.close();
  }

  private Object invoke(String method, String key) throws Throwable {
    return TestCall.of(service, method, key).invoke(plans);
  }

  private CompletableFuture<?> future(String method, String key) throws Throwable {
    return (CompletableFuture<?>) invoke(method, key);
  }

  private static Reason reason(CompletableFuture<?> failed) {
    try {
      failed.join();
      return Reason.ALLOWED;
    } catch (CompletionException e) {
      return ((RateLimitExceededException) e.getCause()).result().reason();
    }
  }

  @Test
  void aBlockingCallParksItsOwnThread() throws Throwable {
    invoke("quick", "a");
    assertThat(invoke("quick", "a")).isEqualTo(Thread.currentThread().getName());
    assertThatExceptionOfType(RateLimitExceededException.class)
        .isThrownBy(
            () -> {
              invoke("tooSlow", "a");
              invoke("tooSlow", "a");
            })
        .satisfies(denial -> assertThat(denial.result().reason()).isEqualTo(Reason.WAIT_TIMEOUT));
    assertThat(waiting).hasValue(0);
  }

  @Test
  void aFutureWaitsWithoutAThreadAndResumesWhereTheCallSays() throws Throwable {
    future("patientFuture", "a").join();
    TestCall call = TestCall.of(service, "patientFuture", "a");
    call.mayBlock = false;
    call.resumeOn =
        task -> {
          Thread thread = new Thread(task, "event-loop");
          thread.start();
        };
    CompletableFuture<?> pending = (CompletableFuture<?>) call.invoke(plans);
    assertThat(pending).isNotDone();
    assertThat(call.proceeded).isZero();
    assertThat(pending.join()).isEqualTo("event-loop");
    assertThat(call.proceeded).isEqualTo(1);
    assertThat(call.decisions).singleElement().matches(RateLimitResult::allowed);
  }

  @Test
  void withoutAPermitACallIsDeniedAtOnce() throws Throwable {
    future("slowFuture", "a").join();
    List<CompletableFuture<?>> calls = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      calls.add(future("slowFuture", "a"));
    }
    assertThat(calls.stream().filter(CompletableFuture::isDone)).hasSize(4);
    assertThat(calls.stream().filter(CompletableFuture::isDone).map(WaitingCallsTest::reason))
        .as("the second waiter would wait 40 s, and the most is 30 s")
        .containsOnly(Reason.WAIT_TIMEOUT);
    CompletableFuture<?> other = future("slowFuture", "b");
    other.join();
    CompletableFuture<?> second = future("slowFuture", "b");
    assertThat(second).isNotDone();
    assertThat(waiting).hasValue(2);
    future("slowFuture", "c").join();
    assertThat(reason(future("slowFuture", "c"))).isEqualTo(Reason.LIMIT_EXCEEDED);
    second.cancel(true);
    assertThat(waiting).hasValue(1);
    assertThat(future("slowFuture", "c")).as("the permit is free again").isNotDone();
    assertThat(waiting).hasValue(2);
  }

  @Test
  void anInterruptedCallFreesItsPermitAndDoesNotRun() throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicReference<Boolean> interrupted = new AtomicReference<>();
    Thread caller =
        new Thread(
            () -> {
              try {
                invoke("slow", "a");
                invoke("slow", "a");
              } catch (Throwable e) {
                failure.set(e);
                interrupted.set(Thread.currentThread().isInterrupted());
              }
            });
    caller.start();
    await().until(() -> waiting.get() == 1);
    caller.interrupt();
    caller.join(10_000);
    assertThat(failure.get()).isInstanceOf(CancellationException.class);
    assertThat(interrupted.get()).isTrue();
    assertThat(waiting).hasValue(0);
    assertThat(service.ran).hasValue(1);
  }

  /** Every call ends, runs at most once, and no permit is lost. */
  @Test
  void permitsSurviveCancellationAndInterrupts() throws Throwable {
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    AtomicInteger allowed = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
    for (int t = 0; t < 6; t++) {
      boolean asynchronous = t % 2 == 0;
      threads.add(
          new Thread(
              () -> {
                while (System.nanoTime() < end) {
                  try {
                    call(asynchronous, allowed);
                  } catch (Throwable e) {
                    failures.add(e);
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    while (System.nanoTime() < end) {
      threads.get(1 + 2 * ThreadLocalRandom.current().nextInt(3)).interrupt();
      Thread.onSpinWait();
      Thread.sleep(3);
    }
    for (Thread thread : threads) {
      thread.join(10_000);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(failures).isEmpty();
    await().until(() -> waiting.get() == 0);
    assertThat(allowed.get()).isPositive().isLessThanOrEqualTo(service.ran.get());
    assertThat(service.ran.get()).as("1/100ms on 2 keys of 2 methods").isLessThan(100);
    future("slowFuture", "x").join();
    assertThat(future("slowFuture", "x")).as("a permit is free").isNotDone();
  }

  private void call(boolean asynchronous, AtomicInteger allowed) throws Throwable {
    String key = "k" + ThreadLocalRandom.current().nextInt(2);
    try {
      if (asynchronous) {
        CompletableFuture<?> future = future("quickFuture", key);
        if (ThreadLocalRandom.current().nextBoolean()) {
          future.cancel(true);
        } else if (reason(future) == Reason.ALLOWED) {
          allowed.incrementAndGet();
        }
      } else {
        invoke("quick", key);
        allowed.incrementAndGet();
      }
    } catch (RateLimitExceededException | CancellationException e) {
      // One of the ways in which a call may end.
      Thread.interrupted();
    }
  }
}
