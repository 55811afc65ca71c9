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
}
