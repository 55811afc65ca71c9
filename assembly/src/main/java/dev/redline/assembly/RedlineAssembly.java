package dev.redline.assembly;

import dev.redline.client.internal.RemoteServer;
import dev.redline.core.DecisionListener;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RuleChange;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.PlanRegistry;
import dev.redline.core.rule.RuleSetProvider;
import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.core.store.MicrosClock;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.rules.documents.loading.InvalidRulesException;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RulesStatus;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A running engine with everything it needs: store, circuit breaker, fallback, metrics, rule
 * sources and their reloading.
 *
 * <pre>{@code
 * Plugins plugins = Plugins.load(Thread.currentThread().getContextClassLoader());
 * AssemblySettings settings =
 *     AssemblySettings.parse(properties, plugins, HostProfile.application());
 * try (RedlineAssembly redline = RedlineAssembly.builder(settings).start()) {
 *   redline.engine().check(request);
 * }
 * }</pre>
 *
 * <p>Thread-safe. Closing it closes what it created, and all rule sources.
 */
public final class RedlineAssembly implements AutoCloseable {
  private final AssemblySettings settings;
  private final StorageProvider store;
  private final Optional<LocalStore> fallback;
  private final MetricsExporter metrics;
  private final RateLimitEngine engine;
  private final RuleLoader ruleLoader;
  private final Deque<AutoCloseable> closeables;

  private RedlineAssembly(
      AssemblySettings settings,
      StorageProvider store,
      Optional<LocalStore> fallback,
      MetricsExporter metrics,
      RateLimitEngine engine,
      RuleLoader ruleLoader,
      Deque<AutoCloseable> closeables) {
    this.settings = settings;
    this.store = store;
    this.fallback = fallback;
    this.metrics = metrics;
    this.engine = engine;
    this.ruleLoader = ruleLoader;
    this.closeables = closeables;
  }

  /** Returns a builder; nothing is created yet. */
  public static Builder builder(AssemblySettings settings) {
    return new Builder(settings);
  }

  /** Returns the settings it was made from. */
  public AssemblySettings settings() {
    return settings;
  }

  /** Returns the engine. */
  public RateLimitEngine engine() {
    return engine;
  }

  /** Returns the store, with its circuit breaker if it is a remote one. */
  public StorageProvider store() {
    return store;
  }

  /** Returns what records decisions. */
  public MetricsExporter metrics() {
    return metrics;
  }

  /** Returns what loads the rules. */
  public RuleLoader ruleLoader() {
    return ruleLoader;
  }

  /** Returns the version of the rules in force, and the errors of the last load. */
  public RulesStatus rulesStatus() {
    return ruleLoader.status();
  }

  /** Returns the worst state of the store's circuit breakers; closed if it has none. */
  public BreakerState breakerState() {
    return StoreAssembly.breakerState(store).map(Supplier::get).orElse(BreakerState.CLOSED);
  }

  /** Returns how many keys are held in this process: by the store or by the fallback. */
  public long localKeys() {
    return store instanceof InMemoryStore inMemory
        ? inMemory.size()
        : fallback.map(InMemoryStore::size).orElse(0L);
  }

  /** Returns the health; does no I/O. */
  public HealthReport health() {
    return HealthReport.of(
        rulesStatus(),
        store,
        breakerState(),
        StoreAssembly.breakerFailure(store),
        settings.core().missingRules());
  }

  /** Stops reloading, and closes in reverse order of creation. */
  @Override
  public void close() {
    Builder.closeAll(closeables);
  }

  /** Finds an object of the host by its type, such as a bean. */
  public interface HostObjects {
    /** Returns the object of this type, if there is exactly one. */
    <T> Optional<T> find(Class<T> type);
  }

  /**
   * Collects the objects of the host, which win over those that the settings name. The host closes
   * them, except rule sources.
   */
  public static final class Builder {
    private static final HostObjects NO_OBJECTS =
        new HostObjects() {
          @Override
          public <T> Optional<T> find(Class<T> type) {
            return Optional.empty();
          }
        };

    private final AssemblySettings settings;
    private final Map<String, ConfigProvider> namedSources = new HashMap<>();
    private final List<ConfigProvider> furtherSources = new ArrayList<>();
    private final List<DecisionListener> listeners = new ArrayList<>();
    private final List<RuleChange.Listener> ruleChangeListeners = new ArrayList<>();
    private @Nullable StorageProvider store;
    private @Nullable MetricsExporter metrics;
    private @Nullable PlanRegistry planRegistry;
    private @Nullable RuleSetProvider ruleSetProvider;
    private @Nullable Path embeddedRepository;
    private MicrosClock clock = MicrosClock.monotonic();
    private HostObjects hostObjects = NO_OBJECTS;
    private UnaryOperator<RemoteStore> storeDecorator = store -> store;

    private Builder(AssemblySettings settings) {
      this.settings = settings;
    }

    /** Sets the store, instead of {@code rl.storage.type}. */
    public Builder store(StorageProvider value) {
      store = value;
      return this;
    }

    /**
     * Sets what wraps a remote store, to observe its calls. The circuit breaker is outside of it:
     * while that is open, there is no call.
     */
    public Builder remoteStoreDecorator(UnaryOperator<RemoteStore> value) {
      storeDecorator = value;
      return this;
    }

    /** Sets what records decisions, instead of the exporters that are found. */
    public Builder metrics(MetricsExporter value) {
      metrics = value;
      return this;
    }

    /**
     * Sets the rule source of a name: in place of the factory's if {@code rl.config.source} names
     * it, else without effect. {@code FILE} is used if {@code rl.config.path} is not set.
     */
    public Builder source(String name, ConfigProvider value) {
      namedSources.put(name, value);
      return this;
    }

    /** Adds a rule source that is stronger than those of {@code rl.config.source}. */
    public Builder addSource(ConfigProvider value) {
      furtherSources.add(value);
      return this;
    }

    /** Sets the directory of a writable source, the strongest; used if no other is writable. */
    public Builder embeddedRepository(Path directory) {
      embeddedRepository = directory;
      return this;
    }

    /** Adds a listener of decisions. */
    public Builder listener(DecisionListener value) {
      listeners.add(value);
      return this;
    }

    /** Adds a listener that is notified when other rules come into force. */
    public Builder ruleChangeListener(RuleChange.Listener value) {
      ruleChangeListeners.add(value);
      return this;
    }

    /** Sets where plans come from that the rules do not have. */
    public Builder planRegistry(PlanRegistry value) {
      planRegistry = value;
      return this;
    }

    /** Sets where rule sets come from that the rules do not have. */
    public Builder ruleSetProvider(RuleSetProvider value) {
      ruleSetProvider = value;
      return this;
    }

    /** Sets the clock of stores in this process. */
    public Builder clock(MicrosClock value) {
      clock = value;
      return this;
    }

    /** Sets where plugins find objects of the host, such as a {@code DataSource}. */
    public Builder hostObjects(HostObjects value) {
      hostObjects = value;
      return this;
    }

    /**
     * Creates everything, loads the rules and begins to reload them.
     *
     * @throws InvalidRulesException if a source that is required has no valid document
     * @throws InvalidSettingsException if a store or source cannot work with its properties
     */
    public RedlineAssembly start() {
      Deque<AutoCloseable> closeables = new ArrayDeque<>();
      try {
        return start(closeables);
      } catch (Throwable e) {
        closeAll(closeables);
        throw e;
      }
    }

    private RedlineAssembly start(Deque<AutoCloseable> closeables) {
      AssemblyContext context = new AssemblyContext(settings, clock, hostObjects);
      Optional<RemoteServer> server = StoreAssembly.server(settings, store != null, closeables);
      // Meanwhile the rules are loaded.
      Optional<CompletableFuture<Void>> connecting =
          settings.core().enabled() ? server.map(RemoteServer::connect) : Optional.empty();
      Optional<StorageProvider> own =
          server.isPresent() ? Optional.of(server.get()) : Optional.ofNullable(store);
      StorageProvider assembled =
          StoreAssembly.create(settings, own, storeDecorator, context, closeables);
      Optional<LocalStore> fallback = StoreAssembly.fallback(assembled, settings, clock);
      fallback.ifPresent(closeables::push);
      MetricsExporter recording = metrics(context, assembled, fallback);
      RuleSourceAssembly sources =
          new RuleSourceAssembly(
              settings,
              namedSources,
              furtherSources,
              Optional.ofNullable(embeddedRepository),
              context);
      RateLimitEngine engine = engine(assembled, fallback, server, recording);
      closeables.push(engine);
      RuleLoader loader = sources.load(engine, recording, closeables);
      if (settings.reload().enabled()) {
        closeables.push(sources.reload(loader));
      }
      connecting.ifPresent(CompletableFuture::join);
      return new RedlineAssembly(
          settings, assembled, fallback, recording, engine, loader, closeables);
    }

    private MetricsExporter metrics(
        AssemblyContext context, StorageProvider assembled, Optional<LocalStore> fallback) {
      MetricsExporter exporter = metrics;
      if (!settings.core().metrics().enabled()) {
        exporter = MetricsExporter.NONE;
      } else if (exporter == null) {
        exporter =
            CombinedMetrics.of(
                settings.exporters().stream().map(creator -> creator.create(context)).toList());
      }
      StoreAssembly.show(assembled, fallback, exporter);
      return exporter;
    }

    private RateLimitEngine engine(
        StorageProvider assembled,
        Optional<LocalStore> fallback,
        Optional<RemoteServer> server,
        MetricsExporter recording) {
      RateLimitEngine.Builder builder =
          RateLimitEngine.builder(assembled)
              .settings(settings.core().engine())
              .reportBands(settings.core().headers().ietf())
              .metrics(recording)
              .listeners(listeners);
      fallback.ifPresent(builder::fallback);
      if (server.isPresent() && assembled instanceof CircuitBreakingStore guarded) {
        builder.decisionPoint(guarded.guard(server.get()));
      }
      ruleChangeListeners.forEach(builder::ruleChangeListener);
      if (planRegistry != null) {
        builder.planRegistry(planRegistry);
      }
      if (ruleSetProvider != null) {
        builder.ruleSetProvider(ruleSetProvider);
      }
      RateLimitEngine engine = builder.build();
      engine.enable(settings.core().enabled());
      return engine;
    }

    private static void closeAll(Deque<AutoCloseable> closeables) {
      while (!closeables.isEmpty()) {
        AutoCloseable next = closeables.pop();
        try {
          next.close();
        } catch (Exception e) {
          System.getLogger(RedlineAssembly.class.getName())
              .log(System.Logger.Level.WARNING, "closing failed: " + next, e);
        }
      }
    }
  }
}
