package dev.redline.bench.stores;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.redline.bench.stores.CallerLoad.Bar;
import dev.redline.bench.stores.CallerLoad.LoadCell;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.jdbc.JdbcSettings;
import dev.redline.stores.jdbc.JdbcStore;
import dev.redline.testkit.postgres.PostgresServer;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Measures decisions on a PostgreSQL that is started here. Bucket4j gets as many connections as
 * there are callers and, like Redline, commits that do not wait for the disk.
 */
public final class JdbcBench {
  private static final int CALLERS = 16;
  private static final int KEYS = 10_000;
  private static final long CAPACITY = 1_000_000_000_000L;
  private static final List<LoadCell> CELLS =
      List.of(
          new LoadCell("10k keys, 16 callers", CALLERS, KEYS),
          new LoadCell("one hot key, 16 callers", CALLERS, 1),
          new LoadCell("10k keys, one caller", 1, KEYS));
  private static final List<Bar> BARS =
      List.of(
          new Bar("Redline", "Bucket4j select", 1.0), new Bar("Redline", "Bucket4j advisory", 1.0));

  private JdbcBench() {}

  /** Runs the benchmark. */
  public static void run(List<String> arguments, PrintStream out, PrintStream err)
      throws Exception {
    CallerLoad load = CallerLoad.parse("jdbc", arguments);
    err.println("starting PostgreSQL …");
    try (PostgresServer server = PostgresServer.start("-c", "max_connections=100");
        HikariDataSource pool = pool(server);
        JdbcStore store =
            JdbcStore.start(
                JdbcSettings.of(server.url())
                    .withCredentials(server.user(), "")
                    .withTimeout(Duration.ofSeconds(5)))) {
      if (!store.awaitReady(Duration.ofSeconds(30))) {
        throw new IllegalStateException("the store is not ready: " + store.health());
      }
      out.printf(
          "%nPostgreSQL on the same %d processors, OpenJDK %s; medians of %d round(s) of %d ms%n%n",
          Runtime.getRuntime().availableProcessors(),
          System.getProperty("java.version"),
          load.rounds(),
          load.measure().toMillis());
      create(pool, "bucket_select");
      create(pool, "bucket_advisory");
      int missed =
          load.run(
              CELLS,
              List.of(
                  bucket4j(
                      "Bucket4j select",
                      Bucket4jPostgreSQL.selectForUpdateBasedBuilder(pool)
                          .table("bucket_select")
                          .build()),
                  bucket4j(
                      "Bucket4j advisory",
                      Bucket4jPostgreSQL.advisoryLockBasedBuilder(pool)
                          .table("bucket_advisory")
                          .build()),
                  redline(store)),
              BARS,
              out,
              err);
      out.println(missed == 0 ? "Every cell meets its bars." : missed + " cell(s) miss a bar.");
      out.println("Bar: at least 1 × both proxies of Bucket4j.");
    }
  }

  private static HikariDataSource pool(PostgresServer server) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.url());
    config.setUsername(server.user());
    config.setMaximumPoolSize(CALLERS);
    config.addDataSourceProperty("options", "-c synchronous_commit=off");
    return new HikariDataSource(config);
  }

  private static void create(HikariDataSource pool, String table) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table "
              + table
              + " (id bigint primary key, state bytea, expires_at bigint, explicit_lock bigint)");
    }
  }

  private static StoreContender bucket4j(String name, ProxyManager<Long> manager) {
    BucketConfiguration configuration =
        BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(CAPACITY).refillGreedy(CAPACITY, Duration.ofDays(1)))
            .build();
    BucketProxy[] buckets = new BucketProxy[KEYS];
    for (int i = 0; i < KEYS; i++) {
      buckets[i] = manager.builder().build((long) i, () -> configuration);
    }
    return new StoreContender(name, i -> buckets[i].tryConsume(1));
  }

  private static StoreContender redline(JdbcStore store) {
    BucketLimits limits =
        new BucketLimits(
            OwnerKind.RULE,
            "bench",
            List.of(RateLimitBand.of(CAPACITY, CAPACITY, Duration.ofDays(1))));
    Acquisition[] acquisitions = new Acquisition[KEYS];
    for (int i = 0; i < KEYS; i++) {
      acquisitions[i] = Acquisition.of(new RateLimitKey(limits, "caller-" + i), 1);
    }
    return new StoreContender("Redline", i -> store.acquireAndWait(acquisitions[i]).allowed());
  }
}
