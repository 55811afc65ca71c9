package dev.redline.rules.documents.loading;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.core.spi.RuleRepository;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A source whose document or failure a test sets. */
class MemorySource implements ConfigProvider {
  private final String name;
  volatile String content;
  volatile IOException failure;
  volatile RuntimeException bug;

  MemorySource(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    if (failure != null) {
      throw failure;
    }
    if (bug != null) {
      throw bug;
    }
    return Optional.ofNullable(content)
        .map(text -> new Snapshot(text, List.of(new Document(name, text))));
  }

  /** A source that is writable. */
  static final class Writable extends MemorySource implements RuleRepository {
    final List<Revision> revisions = new ArrayList<>();
    final List<AuditEntry> audit = new ArrayList<>();

    Writable(String name) {
      super(name);
    }

    @Override
    public Optional<Revision> newest() {
      return revisions.stream().findFirst();
    }

    @Override
    public Optional<Revision> revision(long version) {
      return revisions.stream().filter(revision -> revision.version() == version).findFirst();
    }

    @Override
    public List<Revision> revisions(int atMost) {
      return revisions.stream().limit(atMost).toList();
    }

    @Override
    public boolean write(long expected, Revision next, AuditEntry entry) throws IOException {
      if (failure != null) {
        throw failure;
      }
      if (newest().map(Revision::version).orElse(0L) != expected) {
        return false;
      }
      revisions.add(0, next);
      audit.add(0, entry);
      content = next.document();
      return true;
    }

    @Override
    public void note(AuditEntry entry) {
      audit.add(0, entry);
    }

    @Override
    public List<AuditEntry> audit(int atMost) {
      return audit.stream().limit(atMost).toList();
    }
  }
}
