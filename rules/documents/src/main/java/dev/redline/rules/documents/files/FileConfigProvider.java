package dev.redline.rules.documents.files;

import dev.redline.core.internal.digest.Sha256;
import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.internal.parsing.NodeParser;
import dev.redline.rules.documents.internal.parsing.Utf8;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rule documents in a file or a directory.
 *
 * <p>Of a directory, {@code *.yaml}, {@code *.yml}, {@code *.json} and {@code *.properties} files
 * are read in the order of their names, except those that start with a dot. Links inside the
 * directory are followed, as a mounted ConfigMap requires; links to files outside are rejected.
 *
 * <p>A path that does not exist, or a directory without such files, holds no document. The version
 * is a digest of names and contents. Changed files are accepted once their sizes, times and
 * contents were stable for 100 ms, so that a partially written file is not read; {@link #load}
 * waits for that.
 */
public final class FileConfigProvider implements ConfigProvider {
  private static final Logger LOG = System.getLogger(FileConfigProvider.class.getName());
  private static final Duration STABLE_TIME = Duration.ofMillis(100);

  /** Files older than this are accepted by the first load without a second scan. */
  private static final Duration SETTLED_AGE = Duration.ofSeconds(2);

  private static final int MAX_SCANS = 50;

  private final Path path;
  private @Nullable Trace last;
  private volatile @Nullable FileWatch watch;
  private boolean unwatchable;

  /** The files at one moment; {@code newest} is the latest modification time in milliseconds. */
  private record Scan(Optional<Snapshot> snapshot, Trace trace, long newest) {}

  /** The parts by which two scans are compared: digest, and name, size and time of each file. */
  private record Trace(Optional<String> digest, List<String> stamps) {}

  /** Creates a source for a file or directory, which need not exist yet. */
  public FileConfigProvider(Path fileOrDirectory) {
    this.path = Objects.requireNonNull(fileOrDirectory, "fileOrDirectory");
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public synchronized Optional<Snapshot> load() throws IOException {
    Scan scan = scan();
    boolean finished =
        last == null
            && System.currentTimeMillis() - scan.newest() > SETTLED_AGE.toMillis()
            && scan.snapshot().isPresent();
    for (int scans = 1; !finished && !scan.trace().equals(last); scans++) {
      if (scans == MAX_SCANS) {
        throw new IOException(
            path + ": changes continuously; it is loaded when it is stable for 100 ms");
      }
      pause();
      Scan again = scan();
      finished = again.trace().equals(scan.trace());
      scan = again;
    }
    last = scan.trace();
    return scan.snapshot();
  }

  private void pause() throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(STABLE_TIME.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(path + ": interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  /** Returns at once when it begins to watch, since files may have changed since the last load. */
  @Override
  public void awaitChange(Duration atMost) throws IOException, InterruptedException {
    FileWatch current = watch;
    if (current != null) {
      current.await(atMost);
    } else if (!unwatchable) {
      beginWatch();
    } else {
      ConfigProvider.super.awaitChange(atMost);
    }
  }

  private void beginWatch() {
    try {
      watch = FileWatch.start(path, FileConfigProvider::isRuleFile);
    } catch (IOException e) {
      unwatchable = true;
      LOG.log(Level.WARNING, path + " cannot be watched and is only polled: " + e.getMessage());
    }
  }

  @Override
  public void close() {
    FileWatch current = watch;
    if (current != null) {
      current.close();
    }
  }

  private Scan scan() throws IOException {
    List<Path> files = files();
    MessageDigest digest = Sha256.start();
    List<Document> documents = new ArrayList<>();
    List<String> stamps = new ArrayList<>();
    long newest = Long.MIN_VALUE;
    long total = 0;
    for (Path file : files) {
      byte[] content;
      long size;
      long modified;
      try {
        checkInside(file);
        size = Files.size(file);
        modified = Files.getLastModifiedTime(file).toMillis();
        total += size;
        if (total > NodeParser.MAX_BYTES) {
          throw new IOException(file + ": the rules are larger than 32 MiB");
        }
        content = Files.readAllBytes(file);
      } catch (NoSuchFileException e) {
        // The file is being replaced; the next scan sees the new version.
        stamps.add(file + " vanished");
        continue;
      } catch (AccessDeniedException e) {
        throw new IOException(file + ": access denied", e);
      }
      String name = file.toString();
      newest = Math.max(newest, modified);
      stamps.add(name + " " + size + " " + modified);
      update(digest, name.getBytes(StandardCharsets.UTF_8));
      update(digest, content);
      documents.add(new Document(name, text(file, content)));
    }
    Optional<Snapshot> snapshot =
        documents.isEmpty()
            ? Optional.empty()
            : Optional.of(new Snapshot(HexFormat.of().formatHex(digest.digest()), documents));
    return new Scan(snapshot, new Trace(snapshot.map(Snapshot::version), stamps), newest);
  }

  private List<Path> files() throws IOException {
    if (!Files.isDirectory(path)) {
      return Files.exists(path) ? List.of(path) : List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries
          .filter(FileConfigProvider::isRuleFile)
          .sorted(Comparator.comparing(file -> String.valueOf(file.getFileName())))
          .toList();
    } catch (UncheckedIOException e) {
      throw new IOException(path + ": cannot be listed", e);
    }
  }

  /**
   * Checks that a file of the directory is not a link to a file outside. Errors quote the content
   * of rule files, and must not disclose other files.
   */
  private void checkInside(Path file) throws IOException {
    if (!file.equals(path) && !file.toRealPath().startsWith(path.toRealPath())) {
      throw new IOException(
          file + ": links to a file outside of " + path + ", which is not read; copy the file");
    }
  }

  private static boolean isRuleFile(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".")
        && (name.endsWith(".yaml")
            || name.endsWith(".yml")
            || name.endsWith(".json")
            || name.endsWith(".properties"))
        && Files.isRegularFile(file);
  }

  private static String text(Path file, byte[] content) throws IOException {
    try {
      return Utf8.decode(content);
    } catch (CharacterCodingException e) {
      throw new IOException(file + ": not a UTF-8 text", e);
    }
  }

  /** Adds a part with its length, so that different parts never give the same digest input. */
  private static void update(MessageDigest digest, byte[] part) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(part.length).flip());
    digest.update(part);
  }
}
