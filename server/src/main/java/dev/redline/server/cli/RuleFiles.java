package dev.redline.server.cli;

import dev.redline.core.spi.ConfigProvider.Document;
import dev.redline.core.spi.ConfigProvider.Snapshot;
import dev.redline.rules.documents.files.FileConfigProvider;
import dev.redline.rules.documents.internal.parsing.Utf8;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The rule documents named on a command line, and the errors of those that could not be read. */
record RuleFiles(List<Document> documents, List<String> errors) {
  private static final String STANDARD_INPUT = "-";

  /** The largest rule document; a pipe could be endless. */
  private static final int MAX_BYTES = 32 << 20;

  /** Reads files and directories; {@code -} is standard input. */
  static RuleFiles read(List<String> names, InputStream standardInput) {
    List<Document> documents = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    for (String name : names) {
      try {
        documents.addAll(
            name.equals(STANDARD_INPUT)
                ? List.of(read(STANDARD_INPUT, standardInput))
                : files(Path.of(name)));
      } catch (IOException e) {
        String message = String.valueOf(e.getMessage());
        errors.add(message.startsWith(name) ? message : name + ": " + message);
      } catch (InvalidPathException e) {
        errors.add(name + ": not a path");
      }
    }
    return new RuleFiles(documents, errors);
  }

  private static Document read(String name, InputStream in) throws IOException {
    byte[] content = in.readNBytes(MAX_BYTES + 1);
    if (content.length > MAX_BYTES) {
      throw new IOException("larger than 32 MiB");
    }
    try {
      return new Document(name, Utf8.decode(content));
    } catch (CharacterCodingException e) {
      throw new IOException("not a UTF-8 text", e);
    }
  }

  private static List<Document> files(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new IOException("no such file or directory");
    }
    if (!Files.isDirectory(path) && !Files.isRegularFile(path)) {
      // A pipe can be read only once; the provider of files reads until the content is stable.
      try (InputStream pipe = Files.newInputStream(path)) {
        return List.of(read(path.toString(), pipe));
      }
    }
    return new FileConfigProvider(path)
        .load()
        .map(Snapshot::documents)
        .orElseThrow(() -> new IOException("holds no *.yaml, *.yml, *.json or *.properties"));
  }
}
