package dev.redline.bench.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Redline's store, asked as its engine asks: at once if it knows the answer, else by a trip. */
final class RedlineOnRedis implements Client {
  /** How many buckets are made at once; more than so many would not fit the store's queue. */
  private static final int FILL = 5000;

  private final RedisStore store;

  RedlineOnRedis(String uri) {
    store = RedisStore.start(RedisSettings.of(uri).withCommandTimeout(Duration.ofSeconds(10)));
    if (!store.awaitReady(Duration.ofSeconds(20))) {
      store.close();
      throw new IllegalStateException("no connection to " + uri);
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
    private final Acquisition[] asked;
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
      asked = new Acquisition[population.keys()];
      for (int i = 0; i < asked.length; i++) {
        asked[i] = Acquisition.of(new RateLimitKey(limits, population.name(i)), 1);
      }
      for (int from = 0; from < asked.length; from += FILL) {
        fill(from, Math.min(asked.length, from + FILL));
      }
    }

    private void fill(int from, int to) {
      CompletableFuture<?>[] filled = new CompletableFuture<?>[to - from];
      for (int i = from; i < to; i++) {
        filled[i - from] = store.acquire(asked[i]).toCompletableFuture();
      }
      CompletableFuture.allOf(filled).join();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the answer hears of everything
    public void ask(int i, Answer answer) {
      Outcome known = outcomes.get();
      if (store.acquireNow(asked[i], known)) {
        answer.told(known.allowed(), null);
        return;
      }
      store
          .acquire(asked[i])
          .whenComplete(
              (outcome, failure) -> answer.told(failure == null && outcome.allowed(), failure));
    }

    @Override
    public boolean askNow(int i) {
      Outcome outcome = outcomes.get();
      return store.acquireNow(asked[i], outcome)
          ? outcome.allowed()
          : store.acquireAndWait(asked[i]).allowed();
    }
  }
}
