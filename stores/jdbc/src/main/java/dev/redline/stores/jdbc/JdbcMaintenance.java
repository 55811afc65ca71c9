package dev.redline.stores.jdbc;

import dev.redline.core.internal.remote.CallReports;
import dev.redline.core.internal.remote.ResetGenerations;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * What happens beside the acquisitions, on a thread of its own: the table is created, other nodes'
 * resets and the health are polled every second, and expired rows are swept.
 */
final class JdbcMaintenance implements AutoCloseable {
  private static final Logger LOG = System.getLogger(JdbcStore.class.getName());
  private static final long POLL_MILLIS = 1000;
  private static final int POLLS_PER_SWEEP = 10;
  private static final int SWEEP_TIMEOUT_MILLIS = 30_000;
  private static final String UNDEFINED_TABLE = "42P01";

  /** Work on a connection. */
  @FunctionalInterface
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private final DataSource dataSource;
  private final BucketTable table;
  private final JdbcSettings settings;
  private final ResetGenerations generations;
  private final CallReports reports;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread created = new Thread(task, "redline-jdbc-maintenance");
            created.setDaemon(true);
            return created;
          });
  private volatile StoreHealth health;
  private boolean prepared;
  private boolean outageLogged;
  private int polls;

  JdbcMaintenance(
      DataSource dataSource,
      BucketTable table,
      JdbcSettings settings,
      ResetGenerations generations,
      CallReports reports) {
    this.dataSource = dataSource;
    this.table = table;
    this.settings = settings;
    this.generations = generations;
    this.reports = reports;
    this.health = StoreHealth.down("not connected to " + settings.target() + " yet");
  }

  @SuppressWarnings("FutureReturnValueIgnored") // poll handles every exception itself
  void start() {
    thread.scheduleWithFixedDelay(this::poll, 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Returns whether the table was found once, so that acquisitions can be attempted. */
  boolean isReady() {
    return ready.getCount() == 0;
  }

  boolean awaitReady(Duration atMost) {
    try {
      return ready.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  StoreHealth health() {
    return health;
  }

  private void poll() {
    try {
      long start = System.nanoTime();
      if (!prepared) {
        prepared = work(this::prepare);
      }
      work(table::generations).forEach(generations::learn);
      up(Duration.ofNanos(System.nanoTime() - start));
      if (polls++ % POLLS_PER_SWEEP == 0 && work(table::claimSweep)) {
        sweep();
      }
    } catch (SQLException e) {
      prepared &= !UNDEFINED_TABLE.equals(e.getSQLState());
      down(e);
    } catch (RuntimeException | Error e) {
      // The thread must go on, also if an observer throws or memory is short.
      down(e);
    }
  }

  private boolean prepare(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    if (!product.equals("PostgreSQL")) {
      throw new SQLException("the store JDBC is for PostgreSQL only, the database is " + product);
    }
    if (settings.createTable()) {
      table.create(connection);
    }
    return true;
  }

  long sweep() throws SQLException {
    return work(
        connection -> {
          connection.setNetworkTimeout(Runnable::run, SWEEP_TIMEOUT_MILLIS);
          long deleted = table.sweep(connection);
          LOG.log(Level.DEBUG, "deleted the rows of " + deleted + " full buckets");
          return deleted;
        });
  }

  private void up(Duration latency) {
    boolean back = !health.up() && isReady();
    health =
        new StoreHealth(
            true,
            Optional.empty(),
            Optional.of(latency),
            Map.of("database", "PostgreSQL", "table", settings.table()));
    if (!isReady()) {
      LOG.log(Level.INFO, "connected to " + settings.target() + ", table " + settings.table());
      ready.countDown();
    } else if (back) {
      LOG.log(outageLogged ? Level.INFO : Level.DEBUG, settings.target() + " replies again");
      reports.recovered();
    }
    outageLogged = false;
    reports.alive();
  }

  /** Logs an outage once, unless the observer already has. */
  private void down(Throwable e) {
    String why = "not connected to " + settings.target() + ": " + reason(e);
    boolean first = health.up() || (!isReady() && !outageLogged);
    health = StoreHealth.down(why);
    if (first && !thread.isShutdown()) {
      outageLogged = !reports.away();
      LOG.log(outageLogged ? Level.WARNING : Level.DEBUG, why);
    }
    LOG.log(Level.DEBUG, why, e);
  }

  /** Returns the failure of a store. */
  static StoreException failure(JdbcSettings settings, Exception e) {
    return e instanceof StoreException known
        ? known
        : new StoreException(
            StoreException.Kind.UNAVAILABLE, settings.target() + ": " + reason(e), e);
  }

  /** Returns the messages of a failure and of its root cause, in one line. */
  static String reason(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String first = message(e);
    String last = message(root);
    return first.contains(last) ? first : first + ": " + last;
  }

  private static String message(Throwable e) {
    return e.getMessage() == null
        ? e.getClass().getSimpleName()
        : e.getMessage().replaceAll("\\s+", " ");
  }

  private <T> T work(Work<T> work) throws SQLException {
    try (BorrowedConnection borrowed = BorrowedConnection.from(dataSource, settings)) {
      return work.on(borrowed.connection());
    }
  }

  /** Does rare work for a caller. */
  <T> CompletableFuture<T> submit(Work<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    try {
      thread.execute(
          () -> {
            try {
              result.complete(work(work));
            } catch (SQLException | RuntimeException e) {
              result.completeExceptionally(failure(settings, e));
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          new StoreException(StoreException.Kind.UNAVAILABLE, "the store is closed", e));
    }
    return result;
  }

  @Override
  public void close() {
    thread.shutdownNow();
    health = StoreHealth.down("the store is closed");
  }
}
