package dev.redline.rules.documents.files;

import dev.redline.core.spi.ConfigProvider;
import dev.redline.rules.documents.internal.parsing.NodeParser;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
 * Rule documents in a file, or in a directory: its {@code *.yaml}, {@code *.yml}, {@code *.json}
 * and {@code *.properties} that do not start with a dot, by name. Links within it are followed, so
 * a mounted ConfigMap is such a directory; a link that leads out of it is rejected.
 *
 * <p>A path that does not exist, or a directory without such files, holds no document. The version
 * is a digest of names and contents. Content that is new counts once sizes, times and contents
 * stood still for 100 ms, so that a file is not read while it is written; {@link #load} waits for
 * that.
 */
public final class FileConfigProvider implements ConfigProvider {
  private static final Duration STILLNESS = Duration.ofMillis(100);

  /** How old a file must be at the first look to be taken for finished. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private static final int MAX_LOOKS = 50;

  private final Path path;
  private @Nullable Trace last;
  private @Nullable FileWatch watch;

  /** What was there at one moment, and when the youngest file was written, in milliseconds. */
  private record Look(Optional<Snapshot> snapshot, Trace trace, long newest) {}

  /** By what two looks are compared: the digest, and name, size and time of each file. */
  private record Trace(Optional<String> digest, List<String> stamps) {}

  /** Names the file or directory; it need not exist yet. */
  public FileConfigProvider(Path fileOrDirectory) {
    this.path = Objects.requireNonNull(fileOrDirectory, "fileOrDirectory");
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public synchronized Optional<Snapshot> load() throws IOException {
    Look look = look();
    boolean finished =
        last == null
            && System.currentTimeMillis() - look.newest() > SETTLED.toMillis()
            && look.snapshot().isPresent();
    for (int looks = 1; !finished && !look.trace().equals(last); looks++) {
      if (looks == MAX_LOOKS) {
        throw new IOException(path + ": changes all the time; waiting until it stands still");
      }
      pause();
      Look again = look();
      finished = again.trace().equals(look.trace());
      look = again;
    }
    last = look.trace();
    return look.snapshot();
  }

  private void pause() throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(STILLNESS.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted = new InterruptedIOException(path + ": interrupted");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  @Override
  public synchronized void watch(Runnable changed) {
    if (watch == null) {
      watch = FileWatch.start(path, FileConfigProvider::isRuleFile, changed);
    }
  }

  @Override
  public synchronized void close() {
    if (watch != null) {
      watch.close();
    }
  }

  private Look look() throws IOException {
    List<Path> files = files();
    MessageDigest digest = sha256();
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
        // Between two versions of it; the next look tells which one.
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
    return new Look(snapshot, new Trace(snapshot.map(Snapshot::version), stamps), newest);
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
   * Checks that a file of the directory is not a link to somewhere else: what is wrong with rules
   * is shown to many, and must not show files that have nothing to do with them.
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
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(file + ": not a UTF-8 text", e);
    }
  }

  /** Adds a part with its length, so that parts cannot run into each other. */
  private static void update(MessageDigest digest, byte[] part) {
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(part.length).flip());
    digest.update(part);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
