package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.StoreUnderTest;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One connected store for all tests of a class, each of which may close what it was given. */
final class SharedRedisStore implements AfterAllCallback {
  private final Supplier<RedisSettings> settings;
  private RedisStore store;

  SharedRedisStore(Supplier<RedisSettings> settings) {
    this.settings = settings;
  }

  RedisStore get() {
    if (store == null) {
      store = RedisStore.start(settings.get().withCommandTimeout(Duration.ofSeconds(10)));
      if (!store.awaitReady(Duration.ofSeconds(30))) {
        throw new AssertionError("the store is not ready: " + store.health());
      }
    }
    return store;
  }

  StoreUnderTest underTest() {
    return StoreUnderTest.onItsOwnClock(new Borrowed(get()));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (store != null) {
      store.close();
      store = null;
    }
  }

  private record Borrowed(StorageProvider store) implements StorageProvider {
    @Override
    public String type() {
      return store.type();
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return store.acquire(acquisition);
    }

    @Override
    public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
      return store.acquireNow(acquisition, outcome);
    }

    @Override
    public Outcome acquireAndWait(Acquisition acquisition) {
      return store.acquireAndWait(acquisition);
    }

    @Override
    public void close() {}
  }
}
