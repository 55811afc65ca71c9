package dev.redline.rules.documents.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.RuleRepository;
import dev.redline.rules.documents.internal.parsing.JsonObjectReader;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rules that can be changed, in a directory of this machine: a file for each revision, and the
 * audit. Processes that share the directory see each other's changes.
 *
 * <p>A revision is one file that appears whole: the fields that describe it on the first line, then
 * the document byte for byte. One whose digest is wrong, because the machine lost power while it
 * was written, does not count. Writers take turns by a lock of the operating system. Only the owner
 * reads the files. The directory is made by the first write; the latest 100 revisions are kept.
 */
public final class FileRuleRepository implements RuleRepository {
  private static final Logger LOG = System.getLogger(FileRuleRepository.class.getName());
  private static final int KEPT = 100;
  private static final int MAX_HEADER = 64 * 1024;
  private static final Pattern NAME = Pattern.compile("(\\d{1,19})\\.revision");
  private static final Duration LOOK = Duration.ofMillis(250);

  /** File locks exclude other processes only; these locks exclude other threads. */
  private static final Map<Path, ReentrantLock> TURNS = new ConcurrentHashMap<>();

  private final Path directory;
  private final AuditLog audit;
  private final ReentrantLock turn;

  /** The number of the newest revision when it was last loaded. */
  private volatile long loaded;

  /** Creates a repository in a directory, which need not exist yet. */
  public FileRuleRepository(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
    this.audit = new AuditLog(this.directory.resolve("audit.log"));
    this.turn = TURNS.computeIfAbsent(this.directory, path -> new ReentrantLock());
  }

  @Override
  public String name() {
    return directory.toString();
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    long number = newestNumber();
    Optional<Revision> newest = newest();
    loaded = number;
    return newest.map(
        revision ->
            new Snapshot(
                Long.toString(revision.version()) + "-" + Sha256.hex(revision.document()),
                List.of(new Document(file(revision.version()).toString(), revision.document()))));
  }

  @Override
  public Optional<Revision> newest() throws IOException {
    List<Revision> newest = revisions(1);
    return newest.isEmpty() ? Optional.empty() : Optional.of(newest.get(0));
  }

  @Override
  public Optional<Revision> revision(long version) throws IOException {
    Path file = files().get(version);
    return file == null ? Optional.empty() : read(version, file);
  }

  @Override
  public List<Revision> revisions(int atMost) throws IOException {
    List<Revision> revisions = new ArrayList<>();
    for (Map.Entry<Long, Path> file : files().descendingMap().entrySet()) {
      if (revisions.size() == atMost) {
        break;
      }
      read(file.getKey(), file.getValue()).ifPresent(revisions::add);
    }
    return revisions;
  }

  /**
   * {@inheritDoc} Reads only the first line of each file, so it does not notice a document that is
   * not written to its end.
   */
  @Override
  public List<RevisionHeader> headers(int atMost) throws IOException {
    List<RevisionHeader> headers = new ArrayList<>();
    for (Map.Entry<Long, Path> file : files().descendingMap().entrySet()) {
      if (headers.size() == atMost) {
        break;
      }
      readHeader(file.getKey(), file.getValue()).ifPresent(headers::add);
    }
    return headers;
  }

  private static Optional<RevisionHeader> readHeader(long version, Path file) throws IOException {
    byte[] line;
    try (InputStream in = Files.newInputStream(file)) {
      line = in.readNBytes(MAX_HEADER);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      JsonObjectReader header =
          new JsonObjectReader(new String(Arrays.copyOf(line, lineEnd(line)), UTF_8));
      if (header.number("version") == version) {
        return Optional.of(
            new RevisionHeader(
                version,
                Instant.ofEpochMilli(header.number("at")),
                header.required("by"),
                header.required("summary")));
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, file + " is no revision and does not count", e);
    }
    return Optional.empty();
  }

  private static int lineEnd(byte[] content) {
    int end = 0;
    while (end < content.length && content[end] != '\n') {
      end++;
    }
    return end;
  }

  @Override
  public boolean write(long expected, Revision next, AuditEntry entry) throws IOException {
    if (next.version() <= expected) {
      throw new IllegalArgumentException(
          "revision " + next.version() + " must be higher than " + expected);
    }
    return inTurn(
        () -> {
          long newest = newestVersion();
          if (newest != expected) {
            return false;
          }
          audit.append(entry, next.version(), newest);
          PrivateFiles.replace(
              file(next.version()), header(next).getBytes(UTF_8), next.document().getBytes(UTF_8));
          prune();
          return true;
        });
  }

  @Override
  public void note(AuditEntry entry) throws IOException {
    inTurn(
        () -> {
          audit.append(entry, 0, newestVersion());
          return true;
        });
  }

  @Override
  public List<AuditEntry> audit(int atMost) throws IOException {
    return audit.latest(atMost, newestVersion());
  }

  private long newestVersion() throws IOException {
    return newest().map(Revision::version).orElse(0L);
  }

  private Path file(long version) {
    return directory.resolve(version + ".revision");
  }

  /** Returns the files of revisions by number; they may be incomplete. */
  private NavigableMap<Long, Path> files() throws IOException {
    NavigableMap<Long, Path> files = new TreeMap<>();
    if (!Files.isDirectory(directory)) {
      return files;
    }
    try (Stream<Path> entries = Files.list(directory)) {
      entries.forEach(
          file -> {
            Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
            if (name.matches()) {
              version(name.group(1)).ifPresent(version -> files.put(version, file));
            }
          });
    }
    return files;
  }

  /** Returns the number; nothing if it is too large, so that the file is not one of ours. */
  private static Optional<Long> version(String digits) {
    try {
      return Optional.of(Long.parseLong(digits));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String header(Revision revision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("version", revision.version());
    fields.put("at", revision.at().toEpochMilli());
    fields.put("by", revision.by());
    fields.put("summary", revision.summary());
    fields.put("digest", Sha256.hex(revision.document()));
    return JsonWriter.of(fields) + "\n";
  }

  private static Optional<Revision> read(long version, Path file) throws IOException {
    byte[] content;
    try {
      content = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    int end = lineEnd(content);
    String document =
        end == content.length ? "" : new String(content, end + 1, content.length - end - 1, UTF_8);
    try {
      JsonObjectReader header =
          new JsonObjectReader(new String(Arrays.copyOf(content, end), UTF_8));
      if (header.number("version") == version
          && header.required("digest").equals(Sha256.hex(document))) {
        return Optional.of(
            new Revision(
                version,
                document,
                Instant.ofEpochMilli(header.number("at")),
                header.required("by"),
                header.required("summary")));
      }
      LOG.log(Level.WARNING, "{0} was not written to its end and does not count", file);
    } catch (IOException e) {
      LOG.log(Level.WARNING, file + " is no revision and does not count", e);
    }
    return Optional.empty();
  }

  private void prune() throws IOException {
    NavigableMap<Long, Path> files = files();
    while (files.size() > KEPT) {
      Files.deleteIfExists(files.pollFirstEntry().getValue());
    }
  }

  private interface Writing {
    boolean run() throws IOException;
  }

  /** Runs a write while holding the lock against other threads and other processes. */
  private boolean inTurn(Writing writing) throws IOException {
    turn.lock();
    try {
      PrivateFiles.createDirectories(directory);
      try (FileChannel channel = PrivateFiles.open(directory.resolve("lock"))) {
        // Closing the channel releases the lock.
        channel.lock();
        return writing.run();
      }
    } finally {
      turn.unlock();
    }
  }

  /** {@inheritDoc} Polls the names of the files a few times per second. */
  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (newestNumber() == loaded) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.sleep(Math.min(left, LOOK.toNanos()));
    }
  }

  private long newestNumber() throws IOException {
    NavigableMap<Long, Path> files = files();
    return files.isEmpty() ? 0 : files.lastKey();
  }
}
