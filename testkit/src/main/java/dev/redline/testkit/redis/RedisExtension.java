package dev.redline.testkit.redis;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that starts real Redis before the tests of a class and stops it after them.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();
 *
 * … REDIS.get().uri() …
 * }</pre>
 *
 * @param <T> what is started
 */
public final class RedisExtension<T extends AutoCloseable>
    implements BeforeAllCallback, AfterAllCallback {
  private final Supplier<T> starter;
  private @Nullable T started;

  private RedisExtension(Supplier<T> starter) {
    this.starter = starter;
  }

  /** Returns the extension for one server; {@code arguments} as on redis-server's command line. */
  public static RedisExtension<RedisServer> standalone(String... arguments) {
    return new RedisExtension<>(() -> RedisServer.start(RedisBinary.any(), arguments));
  }

  /** Returns the extension for a master, a replica and three sentinels. */
  public static RedisExtension<RedisSentinel> sentinel() {
    return new RedisExtension<>(() -> RedisSentinel.start(RedisBinary.any()));
  }

  /** Returns the extension for a cluster of three masters with a replica each. */
  public static RedisExtension<RedisCluster> cluster() {
    return new RedisExtension<>(() -> RedisCluster.start(RedisBinary.any()));
  }

  /** Returns the extension for servers that the supplier starts. */
  public static <T extends AutoCloseable> RedisExtension<T> of(Supplier<T> starter) {
    return new RedisExtension<>(starter);
  }

  /** Returns what was started. */
  public T get() {
    T current = started;
    if (current == null) {
      throw new IllegalStateException(
          "Redis runs only during the tests: is the extension a static @RegisterExtension field?");
    }
    return current;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    started = starter.get();
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (started != null) {
      started.close();
      started = null;
    }
  }
}
