package dev.redline.server.rules;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.IdentitySettings;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.MetricsExporter;
import dev.redline.rules.documents.Problem;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocumentReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Loads rule documents from a source and puts them in force, whole or not at all.
 *
 * <p>Content that did not change is not even read. An invalid document leaves the last good one in
 * force and is remembered with its errors. Thread-safe; loads happen one after another.
 */
public final class RuleLoader {
  private static final Logger LOG = System.getLogger(RuleLoader.class.getName());

  private final ConfigProvider source;
  private final RuleDocumentReader reader;
  private final IdentitySettings identity;
  private final RateLimitEngine engine;
  private final MetricsExporter metrics;
  private final Clock clock;
  private @Nullable String goodVersion;
  private @Nullable String badVersion;
  private List<String> badErrors = List.of();
  private volatile RulesStatus status = RulesStatus.NONE;

  /** Creates a loader; nothing is loaded yet. */
  public RuleLoader(
      ConfigProvider source,
      RuleDocumentReader reader,
      IdentitySettings identity,
      RateLimitEngine engine,
      MetricsExporter metrics,
      Clock clock) {
    this.source = source;
    this.reader = reader;
    this.identity = identity;
    this.engine = engine;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Returns the name of the source. */
  public String source() {
    return source.name();
  }

  /** Returns what is in force, and what was wrong with the last load. */
  public RulesStatus status() {
    return status;
  }

  /**
   * Looks at the source, and puts what it holds in force if that is new and valid.
   *
   * @return what is in force now, with what is wrong with the source if it is
   */
  public synchronized RulesStatus load() {
    Optional<ConfigProvider.Snapshot> snapshot;
    try {
      snapshot = source.load();
    } catch (IOException e) {
      return refuse(List.of(String.valueOf(e.getMessage())));
    }
    if (snapshot.isEmpty()) {
      return refuse(List.of(source.name() + ": there is no rule document"));
    }
    String version = snapshot.get().version();
    if (version.equals(goodVersion)) {
      status = new RulesStatus(status.version(), status.loadedAt(), List.of());
      return status;
    }
    if (version.equals(badVersion)) {
      status = new RulesStatus(status.version(), status.loadedAt(), badErrors);
      return status;
    }
    ReadResult read = reader.read(snapshot.get().documents());
    if (!read.valid()) {
      badVersion = version;
      badErrors = read.errors().stream().map(Problem::toString).toList();
      return refuse(badErrors);
    }
    goodVersion = version;
    for (Problem warning : read.warnings()) {
      LOG.log(Level.WARNING, warning.toString());
    }
    return use(read);
  }

  private RulesStatus use(ReadResult read) {
    long version = Math.max(status.version() + 1, read.document().version());
    RuleBook book =
        read.document()
            .toBook()
            .version(version)
            .identity(identity)
            .replacing(engine.book())
            .build();
    engine.use(book);
    metrics.rulesLoaded(true);
    status = new RulesStatus(version, Optional.of(clock.instant()), List.of());
    LOG.log(
        Level.INFO,
        "rules version {0} from {1} are in force (rules: {2}, plans: {3})",
        Long.toString(version),
        source.name(),
        Integer.toString(book.rules().size()),
        Integer.toString(book.plans().size()));
    return status;
  }

  /** Loads again, and logs what is wrong with the source when that changes. */
  public synchronized void reload() {
    List<String> known = status.errors();
    List<String> errors = load().errors();
    if (!errors.equals(known)) {
      errors.forEach(error -> LOG.log(Level.ERROR, error));
    }
  }

  private RulesStatus refuse(List<String> errors) {
    metrics.rulesLoaded(false);
    status = new RulesStatus(status.version(), status.loadedAt(), errors);
    return status;
  }
}
