package dev.redline.stores.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.internal.StoreLoad;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.ds.PGSimpleDataSource;

class JdbcStoreTest {
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

  @Test
  void resetsOneBucket() throws Exception {
    JdbcStore store = POSTGRES.start(POSTGRES.settings());
    drain(store, ALICE);
    drain(store, BOB);
    store.reset(ALICE).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(store.acquireNow(Acquisition.of(ALICE, 1), new Outcome()))
        .as("denied from memory")
        .isFalse();
    assertThat(take(store, ALICE)).isTrue();
    assertThat(take(store, BOB)).isFalse();
  }

  @Test
  void resetsAllBucketsOfAnOwnerOnEveryNodeWithinASecond() throws Exception {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore one = POSTGRES.start(settings);
    JdbcStore other = POSTGRES.start(settings);
    drain(one, ALICE);
    drain(other, BOB);
    one.reset(List.of(TWO)).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(take(one, ALICE)).isTrue();
    await().atMost(Duration.ofSeconds(3)).until(() -> take(other, BOB));
    assertThat(take(other, BOB)).isTrue();
    assertThat(take(one, BOB)).as("both nodes go by the same generation").isFalse();
  }

  @Test
  void aNodeThatHasNotHeardOfAResetDoesNotUndoIt() throws Exception {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore one = POSTGRES.start(settings);
    JdbcStore other = POSTGRES.start(settings);
    // Other nodes hear of a reset within a second: in most rounds this one has not.
    for (int round = 0; round < 10; round++) {
      one.reset(List.of(TWO)).toCompletableFuture().get(10, TimeUnit.SECONDS);
      assertThat(take(one, ALICE)).isTrue();
      assertThat(take(other, ALICE)).isTrue();
      assertThat(take(one, ALICE)).as("round " + round).isFalse();
    }
  }

  @Test
  void aStoreThatStartsLaterKnowsEarlierResets() throws Exception {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore one = POSTGRES.start(settings);
    drain(one, ALICE);
    one.reset(List.of(TWO)).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(take(POSTGRES.start(settings), ALICE)).isTrue();
  }

  @Test
  void malformedStateFailsOnlyItsOwnAcquisitionsAndIsKept() {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore store = POSTGRES.start(settings);
    for (String poison : List.of("'x'", "'\\x02'", "'\\x0100'", "'\\x010000000000000000'")) {
      take(store, ALICE);
      POSTGRES.sql(
          "update "
              + settings.table()
              + " set state = "
              + poison
              + "::bytea"
              + " where key like '%alice'");
      List<CompletableFuture<Outcome>> alice = new ArrayList<>();
      List<CompletableFuture<Outcome>> others = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        alice.add(store.acquire(Acquisition.of(ALICE, 1)).toCompletableFuture());
        RateLimitKey other = new RateLimitKey(TWO, poison + i);
        others.add(store.acquire(Acquisition.of(other, 1)).toCompletableFuture());
      }
      others.forEach(other -> assertThat(other.join().allowed()).isTrue());
      alice.forEach(
          bad ->
              assertThatThrownBy(bad::join)
                  .hasCauseInstanceOf(StoreException.class)
                  .extracting(e -> ((StoreException) e.getCause()).kind())
                  .isEqualTo(StoreException.Kind.BAD_STATE));
      assertThat(POSTGRES.sql("delete from " + settings.table() + " where key like '%alice'"))
          .isEqualTo(1);
    }
  }

  @Test
  void sweepsRowsOfFullBucketsAndNoOthers() throws Exception {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore store = POSTGRES.start(settings);
    BucketLimits quick = StoreLoad.rule("quick", RateLimitBand.of(5, 5, Duration.ofMillis(100)));
    for (int i = 0; i < 500; i++) {
      take(store, new RateLimitKey(quick, "caller-" + i));
    }
    drain(store, ALICE);
    store.reset(List.of(TWO)).toCompletableFuture().get(10, TimeUnit.SECONDS);
    drain(store, ALICE);
    await()
        .until(
            () -> {
              store.sweep();
              return (Long)
                      POSTGRES.sql(
                          "select count(*) from " + settings.table() + " where key like 'b:%'")
                  == 1;
            });
    assertThat(take(store, ALICE)).isFalse();
    assertThat(take(store, new RateLimitKey(quick, "caller-1"))).isTrue();
  }

  @Test
  void oneNodeSweepsAtATime() throws Exception {
    JdbcSettings settings = POSTGRES.settings();
    POSTGRES.start(settings);
    await()
        .until(
            () ->
                POSTGRES.sql("select 1 from " + settings.table() + " where key = 'm:sweep'")
                    != null);
    BucketTable table = new BucketTable(settings.table(), Duration.ofSeconds(5));
    try (Connection connection =
        DriverManager.getConnection(POSTGRES.server().url(), POSTGRES.server().user(), "")) {
      assertThat(table.claimSweep(connection)).isFalse();
      POSTGRES.sql(
          "update "
              + settings.table()
              + " set expires_at = now() - interval '1 second' where key = 'm:sweep'");
      assertThat(table.claimSweep(connection)).isTrue();
      assertThat(table.claimSweep(connection)).isFalse();
    }
  }

  @Test
  void worksOnTheApplicationsDataSource() {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(POSTGRES.server().url());
    dataSource.setUser(POSTGRES.server().user());
    JdbcSettings settings =
        JdbcSettings.forDataSource()
            .withTable(POSTGRES.settings().table())
            .withTimeout(Duration.ofSeconds(5));
    try (JdbcStore store = JdbcStore.start(settings, dataSource)) {
      assertThat(store.awaitReady(Duration.ofSeconds(10))).isTrue();
      assertThat(take(store, ALICE)).isTrue();
      assertThat(store.health().up()).isTrue();
    }
  }

  /** Connections of a pool that does not undo what a borrower has set; keeps how they came back. */
  private static final class CarelessPool extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private final transient Queue<String> returned = new ConcurrentLinkedQueue<>();

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      connection.setAutoCommit(false);
      connection.setNetworkTimeout(Runnable::run, 12_345);
      InvocationHandler calls =
          (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
              returned.add(connection.getAutoCommit() + " " + connection.getNetworkTimeout());
            }
            return method.invoke(connection, arguments);
          };
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, calls);
    }
  }

  @Test
  void returnsConnectionsOfTheApplicationAsTheyWere() throws Exception {
    CarelessPool pool = new CarelessPool();
    pool.setUrl(POSTGRES.server().url());
    pool.setUser(POSTGRES.server().user());
    JdbcSettings settings =
        JdbcSettings.forDataSource()
            .withTable(POSTGRES.settings().table())
            .withTimeout(Duration.ofSeconds(5));
    try (JdbcStore store = JdbcStore.start(settings, pool)) {
      assertThat(store.awaitReady(Duration.ofSeconds(10))).isTrue();
      assertThat(take(store, ALICE)).isTrue();
      store.sweep();
    }
    assertThat(pool.returned).isNotEmpty().containsOnly("false 12345");
  }

  @Test
  void createsItsTableAgainIfItWasDropped() {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore store = POSTGRES.start(settings);
    take(store, ALICE);
    POSTGRES.sql("drop table " + settings.table());
    assertThatThrownBy(() -> take(store, ALICE)).isInstanceOf(StoreException.class);
    await().ignoreExceptions().until(() -> take(store, ALICE));
  }

  @Test
  void waitsForATableThatItMayNotCreate() {
    JdbcSettings settings = POSTGRES.settings().withCreateTable(false);
    try (JdbcStore store = JdbcStore.start(settings)) {
      // Until it has connected, it has another reason.
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> store.health().reason().orElse("").contains(settings.table()));
      assertThat(store.awaitReady(Duration.ZERO)).isFalse();
      assertThatThrownBy(() -> take(store, ALICE))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(settings.table());
      POSTGRES.start(settings.withCreateTable(true));
      assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
    }
  }

  @Test
  void failsAcquisitionsWhenItIsClosed() {
    JdbcStore store = POSTGRES.start(POSTGRES.settings());
    store.close();
    assertThatThrownBy(() -> take(store, ALICE)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> store.reset(ALICE).toCompletableFuture().join())
        .hasCauseInstanceOf(StoreException.class);
    assertThat(store.health().up()).isFalse();
  }

  @Test
  void keepsIdentitiesThatNoIndexOrEncodingCouldHoldAsDigests() {
    JdbcSettings settings = POSTGRES.settings();
    JdbcStore store = POSTGRES.start(settings);
    for (String identity : List.of("é", "a\0b", "x".repeat(5000))) {
      drain(store, new RateLimitKey(TWO, identity));
    }
    assertThat(
            POSTGRES.sql(
                "select count(*) from "
                    + settings.table()
                    + " where key ~ '^b:1:two:r[A-Za-z0-9_-]{11}#x:[0-9a-f]{64}$'"))
        .isEqualTo(3L);
  }

  @Test
  void startsWhileTheServerIsAbsent() {
    JdbcSettings absent = JdbcSettings.of("jdbc:postgresql://127.0.0.1:1/x");
    try (JdbcStore store = JdbcStore.start(absent)) {
      assertThat(store.awaitReady(Duration.ofMillis(500))).isFalse();
      assertThat(store.health().up()).isFalse();
      assertThatThrownBy(() -> take(store, ALICE))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("127.0.0.1:1/x");
    }
  }

  @Test
  void rejectsInvalidSettingsWithoutShowingCredentials() {
    assertThatThrownBy(() -> JdbcSettings.of("jdbc:mysql://u:secret@h/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PostgreSQL only")
        .hasMessageNotContaining("secret");
    JdbcSettings good = JdbcSettings.of("jdbc:postgresql://u:secret@h/x?password=secret");
    assertThat(good.toString()).contains("h/x").doesNotContain("secret");
    assertThat(good.withCredentials("u", "secret").toString()).doesNotContain("secret");
    assertThat(JdbcSettings.of("jdbc:postgresql://u:p@se/cret@h/x").toString())
        .contains("h/x")
        .doesNotContain("se/cret");
    assertThatThrownBy(() -> good.withTable("a; drop table b"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> good.withPoolSize(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> JdbcStore.start(JdbcSettings.forDataSource()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("URL");
  }
}
