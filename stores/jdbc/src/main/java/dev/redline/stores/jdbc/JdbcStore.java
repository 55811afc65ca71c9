package dev.redline.stores.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.CallThreads;
import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;

/**
 * The store {@code JDBC}: bucket state in PostgreSQL, exact by the server's clock, shared by every
 * process that uses the same table. For teams that have PostgreSQL and no Redis.
 *
 * <p>Acquisitions that are submitted while transactions are in progress share the next one. An
 * acquisition is attempted at most once: one without a reply in time fails, and is never repeated
 * because it may have been taken. Continuations of the stages run on threads that are for them
 * alone.
 */
public final class JdbcStore implements RemoteStore {
  private static final List<String> ONE_NODE = List.of("");
  private static final int MAX_BATCH = 64;
  private static final int EAGER_THREADS = 2;
  private static final int MAX_QUEUED = 10_000;

  private final ResetGenerations generations = new ResetGenerations();
  private final DenyCache denials = new DenyCache(generations::of);
  private final CallReports reports = new CallReports();
  private final BucketTransaction transaction;
  private final BucketTable table;
  private final CallThreads<Acquisition, Outcome> calls;
  private final JdbcMaintenance maintenance;
  private final Duration timeout;
  private final boolean ownPool;
  private final Runnable closing;

  private JdbcStore(
      JdbcSettings settings, DataSource dataSource, boolean ownPool, Runnable closing) {
    this.timeout = settings.timeout();
    this.ownPool = ownPool;
    this.closing = closing;
    this.table = new BucketTable(settings.table(), settings.timeout());
    this.transaction = new BucketTransaction(dataSource, table, generations, denials, settings);
    this.maintenance = new JdbcMaintenance(dataSource, table, settings, generations, reports);
    // One connection is for the maintenance.
    int threads = Math.max(1, settings.poolSize() - 1);
    this.calls =
        new CallThreads<>(
            new CallThreads.Settings(
                "redline-jdbc",
                settings.target(),
                threads,
                EAGER_THREADS,
                MAX_BATCH,
                MAX_QUEUED,
                settings.timeout()),
            transaction,
            reports);
  }

  /**
   * Starts a store with a connection pool of its own. It connects in the background, retrying until
   * it succeeds; until then acquisitions fail at once.
   *
   * @throws IllegalArgumentException if the settings have no URL
   */
  @SuppressWarnings("resource") // closed with the store
  public static JdbcStore start(JdbcSettings settings) {
    HikariDataSource pool = new HikariDataSource(poolSettings(settings));
    return started(new JdbcStore(settings, pool, true, pool::close));
  }

  /**
   * Starts a store on a {@code DataSource} of the application, which should have at least {@link
   * JdbcSettings#poolSize} connections to spare. Closing the store does not close it.
   */
  public static JdbcStore start(JdbcSettings settings, DataSource dataSource) {
    return started(new JdbcStore(settings, dataSource, false, () -> {}));
  }

  private static JdbcStore started(JdbcStore store) {
    store.maintenance.start();
    return store;
  }

  private static HikariConfig poolSettings(JdbcSettings settings) {
    if (settings.url().isEmpty()) {
      throw new IllegalArgumentException(
          "the store JDBC needs a URL, such as jdbc:postgresql://localhost/postgres");
    }
    HikariConfig config = new HikariConfig();
    config.setPoolName("redline-jdbc");
    config.setJdbcUrl(settings.url());
    if (!settings.username().isEmpty()) {
      config.setUsername(settings.username());
      config.setPassword(settings.password());
    }
    config.setMaximumPoolSize(settings.poolSize());
    config.setConnectionTimeout(Math.max(250, settings.timeout().toMillis()));
    config.setValidationTimeout(Math.max(250, settings.timeout().toMillis()));
    // A server that is absent when the store starts only delays it.
    config.setInitializationFailTimeout(-1);
    // In seconds; the URL can say otherwise. Statements have a shorter limit of their own.
    String patience = Long.toString(1 + settings.timeout().toSeconds());
    config.addDataSourceProperty("connectTimeout", patience);
    config.addDataSourceProperty("loginTimeout", patience);
    config.addDataSourceProperty("socketTimeout", patience);
    config.addDataSourceProperty("tcpKeepAlive", "true");
    config.addDataSourceProperty("ApplicationName", "redline");
    return config;
  }

  /** Waits until the store is connected and the table exists; returns whether it is. */
  public boolean awaitReady(Duration atMost) {
    return maintenance.awaitReady(atMost);
  }

  @Override
  public String type() {
    return "jdbc";
  }

  @Override
  public StoreHealth health() {
    return maintenance.health();
  }

  @Override
  public void observe(CallObserver observer) {
    reports.observe(observer);
  }

  @Override
  public Duration commandTimeout() {
    return timeout;
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    return ONE_NODE;
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return denials.denyWhileStoreFails(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return denials.deny(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return submit(acquisition, false);
  }

  /** {@inheritDoc} The thread of the transaction completes the stage. */
  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return submit(acquisition, true);
  }

  /** {@inheritDoc} A caller that is alone makes the transaction on its own thread. */
  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    try {
      // A pool of the application may let its callers wait for a connection for long.
      return ownPool && maintenance.isReady()
          ? calls.callOrSubmit(acquisition).join()
          : submit(acquisition, true).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : transaction.failure(e);
    }
  }

  private CompletableFuture<Outcome> submit(Acquisition acquisition, boolean blocking) {
    return maintenance.isReady()
        ? calls.submit(acquisition, blocking)
        : CompletableFuture.failedFuture(
            new StoreException(
                StoreException.Kind.UNAVAILABLE,
                maintenance.health().reason().orElse("the store is not ready")));
  }

  /** {@inheritDoc} Takes one statement for any number of buckets. */
  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    List<String> names = owners.stream().map(ResetGenerations::name).distinct().toList();
    return offMaintenanceThread(
        maintenance
            .submit(connection -> table.newGenerations(connection, names))
            .thenAccept(started -> started.forEach(generations::learn)));
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    return offMaintenanceThread(
        maintenance
            .submit(connection -> table.delete(connection, BucketRow.key(key)))
            .thenAccept(deleted -> denials.forget(key)));
  }

  /** Deletes the rows of full buckets at once. */
  long sweep() throws SQLException {
    return maintenance.sweep();
  }

  /** Returns a stage whose continuations may block. */
  private CompletionStage<Void> offMaintenanceThread(CompletableFuture<Void> stage) {
    return stage.whenCompleteAsync((done, failure) -> {}, calls.continuations());
  }

  @Override
  public void close() {
    maintenance.close();
    calls.close();
    closing.run();
  }
}
