package dev.redline.telemetry.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ObservedStoreTest {
  private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
  private final List<Observation.Context> stopped = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Outcome> pending = new CompletableFuture<>();
  private final ObservationRegistry registry = registry();
  private final ObservedStore store = new ObservedStore(new PendingStore(), registry);
  private final Acquisition acquisition =
      Acquisition.of(
          new RateLimitKey(
              new BucketLimits(
                  BucketLimits.OwnerKind.RULE, "rule", List.of(RateLimitBand.parse("1/s"))),
              "caller"),
          1);

  private ObservationRegistry registry() {
    ObservationRegistry created = ObservationRegistry.create();
    created
        .observationConfig()
        .observationHandler(
            new ObservationHandler<>() {
              @Override
              public void onStart(Observation.Context context) {
                started.add(context);
              }

              @Override
              public void onStop(Observation.Context context) {
                stopped.add(context);
              }

              @Override
              public boolean supportsContext(Observation.Context context) {
                return true;
              }
            });
    return created;
  }

  /** A store whose calls complete when the test says so. */
  private final class PendingStore implements RemoteStore {
    @Override
    public String type() {
      return "pending";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition request) {
      return pending;
    }

    @Override
    public List<String> nodes(Acquisition request) {
      return List.of("node");
    }

    @Override
    public void observe(CallObserver observer) {}

    @Override
    public void close() {}
  }

  private static String value(Observation.Context context, String key) {
    return context.getLowCardinalityKeyValue(key).getValue();
  }

  @Test
  void callIsAnObservationUntilItCompletes() {
    Observation parent = Observation.start("request", registry);
    CompletionStage<Outcome> call;
    try (Observation.Scope scope = parent.openScope()) {
      assertThat(scope).isNotNull();
      call = store.acquire(acquisition);
    }
    assertThat(started).hasSize(2);
    assertThat(stopped).isEmpty();

    pending.complete(new Outcome());

    assertThat(call.toCompletableFuture()).isCompleted();
    assertThat(stopped).hasSize(1);
    Observation.Context context = stopped.get(0);
    assertThat(context.getName()).isEqualTo("ratelimit.store.call");
    assertThat(context.getParentObservation()).isSameAs(parent);
    assertThat(value(context, "store")).isEqualTo("pending");
    assertThat(value(context, "outcome")).isEqualTo("success");
    assertThat(context.getError()).isNull();
  }

  @Test
  void failedCallIsAnErrorOfTheObservation() {
    StoreException failure = new StoreException(StoreException.Kind.UNAVAILABLE, "away");
    pending.completeExceptionally(failure);

    assertThat(store.acquireForEventLoop(acquisition).toCompletableFuture())
        .isCompletedExceptionally();
    assertThatThrownBy(() -> store.acquireAndWait(acquisition)).isSameAs(failure);

    assertThat(stopped).hasSize(2);
    assertThat(stopped).allMatch(context -> value(context, "outcome").equals("failure"));
    assertThat(stopped).allMatch(context -> context.getError() == failure);
  }

  @Test
  void acquisitionWithoutACallIsNoObservation() {
    assertThat(store.acquireNow(acquisition, new Outcome())).isFalse();

    assertThat(started).isEmpty();
  }
}
