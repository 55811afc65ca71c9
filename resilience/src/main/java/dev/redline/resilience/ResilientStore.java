package dev.redline.resilience;

import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.Settings;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.ForwardingStore;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A remote store with a circuit breaker for each of its nodes, and with a fallback: a store in
 * memory that decides for {@code LOCAL} limits while the remote store fails.
 *
 * <pre>{@code
 * StorageProvider store = ResilientStore.of(RedisStore.start(RedisSettings.of("redis://localhost")));
 * KeyedLimiter limiter = KeyedLimiter.of("api", "10/s", store);
 * }</pre>
 *
 * <p>Thread-safe. Closing it closes both stores.
 */
public final class ResilientStore extends ForwardingStore {
  private final CircuitBreakingStore withBreakers;
  private final StorageProvider fallback;

  private ResilientStore(CircuitBreakingStore withBreakers, StorageProvider fallback) {
    this.withBreakers = withBreakers;
    this.fallback = fallback;
  }

  /** Returns the store with breakers and a fallback with default settings. */
  public static ResilientStore of(RemoteStore store) {
    return of(store, store.commandTimeout());
  }

  /**
   * Returns the store with breakers and a fallback with default settings.
   *
   * @param commandTimeout the store's own: calls that take most of it count as slow
   */
  public static ResilientStore of(RemoteStore store, Duration commandTimeout) {
    return of(store, commandTimeout, Settings.parse(Map.of()).circuitBreaker(), new LocalStore());
  }

  /**
   * Returns the store with breakers and a fallback.
   *
   * @param commandTimeout the store's own: calls that take most of it count as slow
   * @param breaker when a breaker opens, and how it closes again
   * @param fallback the store that decides while the remote one fails; closed with this one
   */
  public static ResilientStore of(
      RemoteStore store,
      Duration commandTimeout,
      Settings.CircuitBreaker breaker,
      StorageProvider fallback) {
    Objects.requireNonNull(fallback, "fallback");
    return new ResilientStore(new CircuitBreakingStore(store, breaker, commandTimeout), fallback);
  }

  @Override
  protected StorageProvider delegate() {
    return withBreakers;
  }

  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return withBreakers.acquireForEventLoop(acquisition);
  }

  /** Returns the worst state of all breakers. */
  public BreakerState state() {
    return withBreakers.state();
  }

  /** Returns the last failure of a node whose breaker is not closed; empty while all are. */
  public Optional<String> lastFailure() {
    return withBreakers.lastFailure();
  }

  @Override
  public Optional<StorageProvider> fallback() {
    return Optional.of(fallback);
  }

  @Override
  public void close() {
    withBreakers.close();
    fallback.close();
  }
}
