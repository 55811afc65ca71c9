package dev.redline.assembly;

import dev.redline.client.internal.RemoteServer;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.spi.PluginFactory.PluginContext;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.resilience.ResilientStore;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Creates the store, its circuit breaker and its fallback. */
final class StoreAssembly {
  private StoreAssembly() {}

  /** Returns the Redline server that decides, if one does. */
  static Optional<RemoteServer> server(
      AssemblySettings settings, boolean ownStore, Deque<AutoCloseable> closeables) {
    if (settings.remote().isPresent() && ownStore) {
      throw new InvalidSettingsException(
          List.of(
              "rl.handler: with REMOTE the server keeps the buckets; remove the application's own"
                  + " StorageProvider"));
    }
    Optional<RemoteServer> server = settings.remote().map(RemoteServer::new);
    server.ifPresent(closeables::push);
    return server;
  }

  /** Returns the host's store, else that of the settings, with a breaker if it is a remote one. */
  static StorageProvider create(
      AssemblySettings settings,
      Optional<StorageProvider> own,
      UnaryOperator<RemoteStore> decorator,
      PluginContext context,
      Deque<AutoCloseable> closeables) {
    StorageProvider store;
    if (own.isPresent()) {
      store = own.get();
    } else {
      try {
        store = settings.storage().creator().create(context);
      } catch (IllegalArgumentException e) {
        throw new InvalidSettingsException(
            List.of("rl.storage.type " + settings.storage().type() + ": " + e.getMessage()));
      }
      closeables.push(store);
    }
    return store instanceof RemoteStore remote
        ? new CircuitBreakingStore(
            decorator.apply(remote), settings.core().circuitBreaker(), remote.commandTimeout())
        : store;
  }

  /** Returns a store in memory that decides for {@code LOCAL} rules while a shared store fails. */
  static Optional<LocalStore> fallback(
      StorageProvider store, AssemblySettings settings, MicrosClock clock) {
    return store instanceof InMemoryStore || store.fallback().isPresent()
        ? Optional.empty()
        : Optional.of(new LocalStore(settings.storage().maxKeys(), clock));
  }

  static Optional<Supplier<BreakerState>> breakerState(StorageProvider store) {
    if (store instanceof CircuitBreakingStore guarded) {
      return Optional.of(guarded::state);
    }
    return store instanceof ResilientStore resilient
        ? Optional.of(resilient::state)
        : Optional.empty();
  }

  /** Returns why the store's circuit breakers are not closed; empty while all are. */
  static Optional<String> breakerFailure(StorageProvider store) {
    if (store instanceof CircuitBreakingStore guarded) {
      return guarded.lastFailure();
    }
    return store instanceof ResilientStore resilient ? resilient.lastFailure() : Optional.empty();
  }

  /** Sets the gauges of the store. */
  static void show(StorageProvider store, Optional<LocalStore> fallback, MetricsExporter exporter) {
    exporter.showStore(store.type());
    exporter.showStoreHealth(store.type(), () -> store.health().up());
    if (store instanceof InMemoryStore inMemory) {
      exporter.showLocalKeys(inMemory::size);
    }
    store.leases().ifPresent(exporter::showLeases);
    fallback.ifPresent(local -> exporter.showLocalKeys(local::size));
    breakerState(store)
        .ifPresent(
            state ->
                exporter.showBreaker(
                    store.type(),
                    Arrays.stream(BreakerState.values()).map(StoreAssembly::lowerCase).toList(),
                    () -> lowerCase(state.get())));
  }

  private static String lowerCase(BreakerState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
