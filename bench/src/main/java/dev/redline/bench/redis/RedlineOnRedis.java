package dev.redline.bench.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Redline's store, called like the engine does: synchronously if it can decide, else remotely. */
final class RedlineOnRedis implements Client {
  /** How many buckets are created at once. */
  private static final int FILL = 500;

  /** Calls of a cold JVM may take longer than the product's own time-out. */
  private static final int MOST_FILLS = 20;

  private final RedisStore store;

  /** Connects with a time-out that no call reaches, so that peaks do not depend on it. */
  RedlineOnRedis(String uri) {
    this(RedisSettings.of(uri).withCommandTimeout(Duration.ofSeconds(10)));
  }

  RedlineOnRedis(RedisSettings settings) {
    store = RedisStore.start(settings);
    if (!store.awaitReady(Duration.ofSeconds(20))) {
      store.close();
      throw new IllegalStateException("no connection to " + settings);
    }
  }

  @Override
  public Limiter limiter(BucketPopulation population) {
    return new Buckets(population);
  }

  @Override
  public void close() {
    store.close();
  }

  private final class Buckets implements Limiter {
    private final Acquisition[] sent;
    private final ThreadLocal<Outcome> outcomes = ThreadLocal.withInitial(Outcome::new);

    Buckets(BucketPopulation population) {
      List<RateLimitBand> bands = new ArrayList<>();
      for (int b = 0; b < population.bands(); b++) {
        bands.add(
            RateLimitBand.of(
                population.capacity(),
                population.refill(),
                Duration.ofSeconds(population.periodSeconds(b))));
      }
      BucketLimits limits = new BucketLimits(OwnerKind.PLAN, "gold", bands);
      sent = new Acquisition[population.keys()];
      for (int i = 0; i < sent.length; i++) {
        sent[i] = Acquisition.of(new RateLimitKey(limits, population.name(i)), 1);
      }
      for (int from = 0; from < sent.length; from += FILL) {
        fill(from, Math.min(sent.length, from + FILL));
      }
    }

    private void fill(int from, int to) {
      for (int fills = 1; ; fills++) {
        try {
          tryFill(from, to);
          return;
        } catch (CompletionException e) {
          if (!(e.getCause() instanceof StoreException) || fills == MOST_FILLS) {
            throw e;
          }
        }
      }
    }

    private void tryFill(int from, int to) {
      CompletableFuture<?>[] filled = new CompletableFuture<?>[to - from];
      for (int i = from; i < to; i++) {
        filled[i - from] = store.acquire(sent[i]).toCompletableFuture();
      }
      CompletableFuture.allOf(filled).join();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the outcome
    public void acquire(int i, Callback callback) {
      Outcome known = outcomes.get();
      if (store.acquireNow(sent[i], known)) {
        callback.onDecision(known.allowed(), null);
        return;
      }
      store
          .acquire(sent[i])
          .whenComplete(
              (outcome, failure) ->
                  callback.onDecision(failure == null && outcome.allowed(), failure));
    }

    @Override
    public boolean acquireAndWait(int i) {
      Outcome outcome = outcomes.get();
      return store.acquireNow(sent[i], outcome)
          ? outcome.allowed()
          : store.acquireAndWait(sent[i]).allowed();
    }
  }
}
