package dev.redline.server.rules;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.RuleRepository;
import dev.redline.rules.documents.Problem;
import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.RuleDocumentReader;
import dev.redline.rules.documents.RuleDocumentWriter;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A read-only source of rules with a writable one over it, as one source.
 *
 * <p>While nothing was ever written, it is the read-only source itself. Thread-safe.
 */
public final class LayeredRules implements ConfigProvider {
  private static final RuleDocument NOTHING = new RuleDocument(1, List.of(), List.of(), List.of());
  private static final RuleDocumentReader WRITTEN = RuleDocumentReader.withoutPlaceholders();

  private final ConfigProvider below;
  private final RuleDocumentReader reader;
  private final RuleRepository above;
  private volatile RuleDocument base = NOTHING;
  private @Nullable Snapshot last;
  private String lastBase = "";

  /**
   * Lays sources over each other.
   *
   * @param reader reads the documents of the read-only source
   */
  public LayeredRules(ConfigProvider below, RuleDocumentReader reader, RuleRepository above) {
    this.below = below;
    this.reader = reader;
    this.above = above;
  }

  @Override
  public String name() {
    return below.name();
  }

  /** Returns what the read-only source said when it was last read without error. */
  public RuleDocument base() {
    return base;
  }

  @Override
  public synchronized Optional<Snapshot> load() throws IOException {
    Optional<Snapshot> found = below.load();
    Optional<Snapshot> written = above.load();
    if (found.isEmpty() || !readBase(found.get()) || written.isEmpty()) {
      return found;
    }
    String version = found.get().version() + "+" + written.get().version();
    if (last == null || !last.version().equals(version)) {
      String merged = RuleDocumentWriter.toJson(EffectiveRules.layered(base, read(written.get())));
      last = new Snapshot(version, List.of(new Document(name() + " and changes", merged)));
    }
    return Optional.of(last);
  }

  /** Reads the read-only documents if they are new; whoever loads tells what is wrong with them. */
  private boolean readBase(Snapshot snapshot) {
    if (snapshot.version().equals(lastBase)) {
      return true;
    }
    ReadResult read = reader.read(snapshot.documents());
    if (read.valid()) {
      base = read.document();
      lastBase = snapshot.version();
    }
    return read.valid();
  }

  private RuleDocument read(Snapshot written) throws IOException {
    ReadResult read =
        WRITTEN.read(
            written.documents(),
            base.plans().stream().map(RateLimitPlan::id).collect(Collectors.toSet()));
    if (!read.valid()) {
      throw new IOException(
          read.errors().stream().map(Problem::toString).collect(Collectors.joining("\n")));
    }
    return read.document();
  }

  @Override
  public void watch(Runnable changed) {
    below.watch(changed);
    above.watch(changed);
  }

  @Override
  public void close() {
    below.close();
    above.close();
  }
}
