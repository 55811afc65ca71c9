package dev.redline.stores.jdbc;

import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.StoreFactory;
import dev.redline.core.store.StorageProvider;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Creates the store {@code JDBC} from {@code rl.jdbc.*}. Without a URL it uses the {@code
 * DataSource} of the application. Waits a second for PostgreSQL; an application starts without it,
 * too.
 */
public final class JdbcStoreFactory implements StoreFactory {
  private static final String URL = "rl.jdbc.url";
  private static final String TABLE = "rl.jdbc.table";
  private static final Duration START = Duration.ofSeconds(1);

  /** Creates the factory; for {@link java.util.ServiceLoader}. */
  public JdbcStoreFactory() {}

  @Override
  public String name() {
    return "JDBC";
  }

  @Override
  public Creator<StorageProvider> read(PropertyReader properties, boolean chosen) {
    JdbcSettings standard = JdbcSettings.forDataSource();
    Optional<JdbcSettings> url = url(properties);
    String username =
        properties.property("rl.jdbc.username", "the user, unless the URL has it").text("");
    String password =
        properties.property("rl.jdbc.password", "the password of the user").secret().orElse("");
    String table =
        properties
            .property(TABLE, "the table of the buckets, with or without a schema")
            .unlessSet("`" + standard.table() + "`")
            .<String>parsed(
                "use letters, digits and underscores", name -> standard.withTable(name).table())
            .orElse(standard.table());
    int poolSize =
        properties
            .property("rl.jdbc.pool-size", "how many connections, and so transactions, at a time")
            .integer(standard.poolSize(), 1, 256);
    Duration timeout =
        properties
            .property("rl.jdbc.timeout", "how long a decision may take, from when it is asked for")
            .duration(standard.timeout());
    boolean createTable =
        properties
            .property("rl.jdbc.create-table", "whether to create the table if it does not exist")
            .bool(true);
    return context -> {
      JdbcSettings settings =
          new JdbcSettings(
              url.map(JdbcSettings::url).orElse(""),
              username,
              password,
              table,
              poolSize,
              timeout,
              createTable);
      JdbcStore store =
          url.isPresent()
              ? JdbcStore.start(settings)
              : JdbcStore.start(
                  settings,
                  context
                      .find(DataSource.class)
                      .orElseThrow(
                          () ->
                              new IllegalArgumentException(
                                  URL
                                      + " is missing: rl.storage.type=JDBC needs a URL such as"
                                      + " jdbc:postgresql://localhost/postgres, or one DataSource"
                                      + " of the application")));
      store.awaitReady(START);
      return store;
    };
  }

  /** Reads the URL; a problem does not show it, because it may contain a password. */
  private static Optional<JdbcSettings> url(PropertyReader properties) {
    Optional<String> url =
        properties
            .property(
                URL,
                "`jdbc:postgresql://HOST/DATABASE`; without it the store uses the application's"
                    + " `DataSource`")
            .text();
    try {
      return url.map(JdbcSettings::of);
    } catch (IllegalArgumentException e) {
      properties.secretProblem(URL, "use a URL of PostgreSQL: jdbc:postgresql://HOST/DATABASE");
      return Optional.empty();
    }
  }
}
