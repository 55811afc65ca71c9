package dev.redline.testkit;

import dev.redline.core.memory.LocalStore;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import java.util.concurrent.CompletionStage;

/** The contract on a store that answers asynchronously and whose clock nobody can move. */
class RealTimeContractTest implements StorageProviderContract {
  @Override
  public StoreUnderTest newStore() {
    return StoreUnderTest.onItsOwnClock(
        new LaterStore(new LocalStore(100_000, MicrosClock.monotonic())));
  }

  private record LaterStore(StorageProvider store) implements StorageProvider {
    @Override
    public String type() {
      return "later";
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return store.acquire(acquisition).thenApplyAsync(outcome -> outcome);
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
