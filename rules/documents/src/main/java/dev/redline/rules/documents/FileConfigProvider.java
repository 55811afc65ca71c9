package dev.redline.rules.documents;

import dev.redline.core.spi.ConfigProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Rule documents in a file, or in a directory: its {@code *.yaml}, {@code *.yml} and {@code *.json}
 * that do not start with a dot, by name.
 *
 * <p>A path that does not exist, or a directory without such files, holds no document. The version
 * is a digest of names and contents.
 */
public final class FileConfigProvider implements ConfigProvider {
  private final Path path;

  /** Names the file or directory; it need not exist yet. */
  public FileConfigProvider(Path fileOrDirectory) {
    this.path = Objects.requireNonNull(fileOrDirectory, "fileOrDirectory");
  }

  @Override
  public String name() {
    return path.toString();
  }

  @Override
  public Optional<Snapshot> load() throws IOException {
    List<Path> files = files();
    if (files.isEmpty()) {
      return Optional.empty();
    }
    MessageDigest digest = sha256();
    List<Document> documents = new ArrayList<>();
    long total = 0;
    for (Path file : files) {
      total += Files.size(file);
      if (total > NodeParser.MAX_BYTES) {
        throw new IOException(file + ": the rules are larger than 32 MiB");
      }
      byte[] content = Files.readAllBytes(file);
      String name = file.toString();
      update(digest, name.getBytes(StandardCharsets.UTF_8));
      update(digest, content);
      documents.add(new Document(name, text(file, content)));
    }
    return Optional.of(new Snapshot(HexFormat.of().formatHex(digest.digest()), documents));
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
    }
  }

  private static boolean isRuleFile(Path file) {
    String name = String.valueOf(file.getFileName());
    return !name.startsWith(".")
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"))
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
