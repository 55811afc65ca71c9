package dev.redline.bench.local;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Redline's store alone: acquisitions are created beforehand, each thread reuses one outcome. */
final class RedlineStore implements KeyPopulation {
  private final LocalStore store = new LocalStore();
  private final BucketLimits limits;
  private final Keys keys;
  private Acquisition @Nullable [] decisions;

  RedlineStore(Keys keys, Mix mix) {
    this.keys = keys;
    this.limits = new BucketLimits(OwnerKind.PLAN, "gold", List.of(band(mix)));
    Outcome outcome = new Outcome();
    for (int i = 0; i < keys.size(); i++) {
      store.acquireNow(Acquisition.of(new RateLimitKey(limits, keys.stored(i)), 1), outcome);
    }
  }

  static RateLimitBand band(Mix mix) {
    return RateLimitBand.of(mix.capacity(), 1, Duration.ofMinutes(1));
  }

  /** Creates the acquisitions for the first thread: they belong to the callers, not the store. */
  private synchronized Acquisition[] decisions() {
    Acquisition[] made = decisions;
    if (made == null) {
      made = new Acquisition[keys.size()];
      for (int i = 0; i < made.length; i++) {
        made[i] = Acquisition.of(new RateLimitKey(limits, keys.requested(i)), 1);
      }
      decisions = made;
    }
    return made;
  }

  @Override
  public Caller caller() {
    Acquisition[] acquisitions = decisions();
    Outcome outcome = new Outcome();
    return i -> {
      store.acquireNow(acquisitions[i], outcome);
      return outcome.allowed();
    };
  }

  @Override
  public void close() {
    store.close();
  }
}
