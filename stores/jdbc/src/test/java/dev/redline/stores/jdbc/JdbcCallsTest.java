package dev.redline.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.internal.StoreLoad;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

/** Transactions: which threads make them, what they share, and when they end. */
class JdbcCallsTest {
  @RegisterExtension static final SharedPostgres POSTGRES = new SharedPostgres();

  private static final BucketLimits TWO =
      StoreLoad.rule("two", RateLimitBand.of(2, 1, Duration.ofDays(365)));
  private static final RateLimitKey ALICE = new RateLimitKey(TWO, "alice");
  private static final RateLimitKey BOB = new RateLimitKey(TWO, "bob");

  private static boolean take(JdbcStore store, RateLimitKey key) {
    return store.acquireAndWait(Acquisition.of(key, 1)).allowed();
  }

  private static void drain(JdbcStore store, RateLimitKey key) {
    while (take(store, key)) {
      // until it is empty
    }
  }

  /** Records the threads of calls. */
  private static final class CallingThreads implements CallObserver {
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    @Override
    public void answered(String node, long nanos) {
      threads.add(Thread.currentThread());
    }

    @Override
    public void failed(String node, long nanos, StoreException failure) {}

    @Override
    public void recovered() {}
  }

  /** Counts the connections that are borrowed by calls, and not returned yet. */
  private static final class CountingPool extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private final transient AtomicInteger borrowed = new AtomicInteger();
    private final transient AtomicInteger open = new AtomicInteger();

    static CountingPool create() {
      CountingPool pool = new CountingPool();
      pool.setUrl(POSTGRES.server().url());
      pool.setUser(POSTGRES.server().user());
      return pool;
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      if (Thread.currentThread().getName().contains("maintenance")) {
        return connection;
      }
      borrowed.incrementAndGet();
      open.incrementAndGet();
      InvocationHandler calls =
          (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
              open.decrementAndGet();
            }
            try {
              return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
              throw e.getCause();
            }
          };
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, calls);
    }
  }

  @Test
  void loneCallerMakesTheTransactionOnItsOwnThread() {
    JdbcStore store = POSTGRES.start(POSTGRES.settings());
    CallingThreads observer = new CallingThreads();
    store.observe(observer);
    drain(store, ALICE);
    assertThat(observer.threads).hasSize(3).containsOnly(Thread.currentThread());
  }

  /** Such a pool may keep a caller waiting for a connection, past every deadline. */
  @Test
  void callerNeverWaitsForAPoolOfTheApplication() {
    JdbcSettings settings =
        JdbcSettings.forDataSource()
            .withTable(POSTGRES.settings().table())
            .withTimeout(Duration.ofSeconds(5));
    try (JdbcStore store = JdbcStore.start(settings, CountingPool.create())) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      CallingThreads observer = new CallingThreads();
      store.observe(observer);
      drain(store, ALICE);
      assertThat(observer.threads).hasSize(3).doesNotContain(Thread.currentThread());
    }
  }

  @Test
  void acquisitionsThatGatherShareATransaction() throws Exception {
    CountingPool pool = CountingPool.create();
    JdbcSettings settings =
        JdbcSettings.forDataSource()
            .withTable(POSTGRES.settings().table())
            // One connection for calls, one for the maintenance.
            .withPoolSize(2)
            .withTimeout(Duration.ofSeconds(10));
    BucketLimits many = StoreLoad.rule("many", RateLimitBand.of(1000, 1, Duration.ofHours(1)));
    try (JdbcStore store = JdbcStore.start(settings, pool)) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      take(store, ALICE);
      List<CompletableFuture<Outcome>> gathered = new ArrayList<>();
      int before;
      try (Connection alice = locked(settings, "alice")) {
        gathered.add(store.acquire(Acquisition.of(ALICE, 1)).toCompletableFuture());
        awaitBlockedTransaction();
        assertThat(alice.isClosed()).isFalse();
        before = pool.borrowed.get();
        for (int i = 0; i < 100; i++) {
          RateLimitKey key = new RateLimitKey(many, "caller-" + i % 10);
          gathered.add(store.acquire(Acquisition.of(key, 1)).toCompletableFuture());
        }
      }
      for (CompletableFuture<Outcome> each : gathered) {
        assertThat(each.get(20, TimeUnit.SECONDS).allowed()).isTrue();
      }
      assertThat(pool.borrowed.get() - before).as("transactions of 64 and of 36").isEqualTo(2);
    }
  }

  @Tag("faults")
  @Test
  void aServerThatHangsKeepsNoConnectionForLong() throws Exception {
    CountingPool pool = CountingPool.create();
    JdbcSettings settings =
        JdbcSettings.forDataSource()
            .withTable(POSTGRES.settings().table())
            .withTimeout(Duration.ofSeconds(2));
    try (JdbcStore store = JdbcStore.start(settings, pool)) {
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
      take(store, ALICE);
      try (Connection held = locked(settings, "alice")) {
        CompletableFuture<Outcome> blocked =
            store.acquire(Acquisition.of(ALICE, 1)).toCompletableFuture();
        awaitBlockedTransaction();
        assertThat(held.isClosed()).isFalse();
        // From now on, the server does not cancel the statement.
        POSTGRES.server().pause();
        try {
          await().until(() -> pool.open.get() == 0);
        } finally {
          POSTGRES.server().resume();
        }
        assertThatThrownBy(() -> blocked.get(5, TimeUnit.SECONDS))
            .hasCauseInstanceOf(StoreException.class);
      }
      await().ignoreExceptions().until(() -> take(store, ALICE));
    }
  }

  /** A client that holds a row lock for ever delays only acquisitions of that row. */
  @Test
  void aLockedRowDelaysOnlyItsOwnAcquisitions() throws Exception {
    JdbcSettings settings = POSTGRES.settings().withTimeout(Duration.ofSeconds(2));
    JdbcStore store = POSTGRES.start(settings);
    take(store, ALICE);
    try (Connection held = locked(settings, "alice")) {
      CompletableFuture<Outcome> blocked =
          store.acquire(Acquisition.of(ALICE, 1)).toCompletableFuture();
      awaitBlockedTransaction();
      assertThat(held.isClosed()).isFalse();
      assertThat(take(store, BOB)).isTrue();
      assertThatThrownBy(() -> blocked.get(5, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StoreException.class);
    }
    assertThat(take(store, ALICE)).as("the failed acquisition was not charged").isTrue();
  }

  /** Locks the row of a caller until the returned connection is closed. */
  private static Connection locked(JdbcSettings settings, String caller) throws SQLException {
    Connection connection =
        DriverManager.getConnection(POSTGRES.server().url(), POSTGRES.server().user(), "");
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "select * from " + settings.table() + " where key like '%" + caller + "' for update");
    }
    return connection;
  }

  private static void awaitBlockedTransaction() {
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(
            () ->
                POSTGRES.sql("select 1 from pg_stat_activity where wait_event_type = 'Lock'")
                    != null);
  }

  @Test
  void chargesNothingThatIsDecidedAfterItsDeadline() throws Exception {
    // One thread for calls, so that the second acquisition is queued behind the first.
    JdbcSettings settings = POSTGRES.settings().withTimeout(Duration.ofSeconds(3)).withPoolSize(2);
    JdbcStore store = POSTGRES.start(settings);
    take(store, ALICE);
    take(store, BOB);
    try (Connection bob = locked(settings, "bob")) {
      CompletableFuture<Outcome> late;
      try (Connection alice = locked(settings, "alice")) {
        CompletionStage<Outcome> first = store.acquire(Acquisition.of(ALICE, 1));
        awaitBlockedTransaction();
        assertThat(first.toCompletableFuture()).isNotDone();
        late = store.acquire(Acquisition.of(BOB, 1)).toCompletableFuture();
        // The server cancels a transaction by its own time-out, which begins when it starts.
        await().pollDelay(Duration.ofSeconds(1)).until(() -> !alice.isClosed());
      }
      assertThatThrownBy(() -> late.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(StoreException.class);
    }
    assertThat(take(store, BOB)).as("the late acquisition was not charged").isTrue();
  }

  @Test
  void aNodeThatGoesSilentInATransactionKeepsNoRowLocked() throws Exception {
    JdbcSettings settings = POSTGRES.settings().withTimeout(Duration.ofSeconds(1));
    JdbcStore store = POSTGRES.start(settings);
    take(store, ALICE);
    try (Connection silent =
        DriverManager.getConnection(POSTGRES.server().url(), POSTGRES.server().user(), "")) {
      new BucketTable(settings.table(), Duration.ofMillis(500))
          .lock(silent, List.of(BucketRow.key(ALICE)));
      await().ignoreExceptions().until(() -> take(store, ALICE));
    }
  }

  @Test
  void continuationsThatBlockDelayNoOtherAcquisition() throws Exception {
    JdbcStore store = POSTGRES.start(POSTGRES.settings());
    BucketLimits many = StoreLoad.rule("many", RateLimitBand.of(1000, 1, Duration.ofHours(1)));
    RateLimitKey key = new RateLimitKey(many, "x");
    Thread test = Thread.currentThread();
    CountDownLatch release = new CountDownLatch(1);
    try {
      for (int i = 0; i < 50; i++) {
        store
            .acquire(Acquisition.of(key, 1))
            .thenAccept(
                outcome -> {
                  try {
                    // A stage that is complete already runs its continuation on this thread.
                    if (Thread.currentThread() != test) {
                      release.await();
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
      }
      assertThat(
              store
                  .acquire(Acquisition.of(key, 1))
                  .toCompletableFuture()
                  .get(10, TimeUnit.SECONDS)
                  .allowed())
          .isTrue();
      assertThat(take(store, key)).isTrue();
    } finally {
      release.countDown();
    }
  }
}
