package dev.redline.core.store;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.StorageProvider.StoreHealth;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store that forwards every call to another store: the base of decorators, which override what
 * they change (<a href="https://en.wikipedia.org/wiki/Decorator_pattern">decorator pattern</a>).
 *
 * <p>Nearly every method calls the method of the same name. There are three ways to acquire that do
 * not call each other: a decorator that changes or observes acquisitions overrides {@link
 * #acquire}, {@link #acquireNow} and {@link #acquireAndWait}.
 */
public abstract class ForwardingStore implements StorageProvider {
  /** Creates the decorator. */
  protected ForwardingStore() {}

  /** Returns the store that calls are forwarded to: always the same one. */
  protected abstract StorageProvider delegate();

  @Override
  public String type() {
    return delegate().type();
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return delegate().acquire(acquisition);
  }

  /** {@inheritDoc} Calls {@link #acquire} of this store, so that overriding that is enough. */
  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return acquire(acquisition);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return delegate().acquireNow(acquisition, outcome);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    return delegate().acquireAndWait(acquisition);
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return delegate().denyFromMemory(acquisition, outcome);
  }

  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    return delegate().reset(owners);
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    return delegate().reset(key);
  }

  @Override
  public Optional<StorageProvider> fallback() {
    return delegate().fallback();
  }

  @Override
  public Optional<TokenLeases> leases() {
    return delegate().leases();
  }

  @Override
  public StoreHealth health() {
    return delegate().health();
  }

  @Override
  public void close() {
    delegate().close();
  }
}
