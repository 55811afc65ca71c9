package dev.redline.stores.redis;

import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.StoreUnderTest;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One connected store for all tests of a class; a test that closes it has no effect. */
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

  /** The shared store, which stays open when a test closes it. */
  private static final class Borrowed extends ForwardingStore {
    private final StorageProvider store;

    Borrowed(StorageProvider store) {
      this.store = store;
    }

    @Override
    protected StorageProvider delegate() {
      return store;
    }

    @Override
    public void close() {}
  }
}
