package dev.redline.telemetry.micrometer;

import dev.redline.core.internal.store.ForwardingRemoteStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A remote store whose calls are observations: with tracing each is a span of the current request.
 * An acquisition that needs no call, such as one that the store denies from memory, is none.
 *
 * <p>The observation is named {@value #NAME}, with the low-cardinality values {@code store} and
 * {@code outcome} ({@code success} or {@code failure}). Its parent is the current observation of
 * the calling thread. Thread-safe.
 */
public final class ObservedStore extends ForwardingRemoteStore {
  /** The name of the observations. */
  public static final String NAME = "ratelimit.store.call";

  private final RemoteStore store;
  private final ObservationRegistry registry;

  /** Wraps a store. */
  public ObservedStore(RemoteStore store, ObservationRegistry registry) {
    this.store = store;
    this.registry = registry;
  }

  @Override
  protected RemoteStore delegate() {
    return store;
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    Observation observation = start();
    return store
        .acquire(acquisition)
        .whenComplete((outcome, failure) -> stop(observation, failure));
  }

  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    Observation observation = start();
    return store
        .acquireForEventLoop(acquisition)
        .whenComplete((outcome, failure) -> stop(observation, failure));
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    Observation observation = start();
    Throwable failed = null;
    try {
      return store.acquireAndWait(acquisition);
    } catch (RuntimeException | Error e) {
      failed = e;
      throw e;
    } finally {
      stop(observation, failed);
    }
  }

  private Observation start() {
    return Observation.createNotStarted(NAME, registry)
        .contextualName(store.type() + " acquire")
        .lowCardinalityKeyValue("store", store.type())
        .start();
  }

  private static void stop(Observation observation, @Nullable Throwable failure) {
    observation.lowCardinalityKeyValue("outcome", failure == null ? "success" : "failure");
    if (failure != null) {
      observation.error(
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure);
    }
    observation.stop();
  }
}
