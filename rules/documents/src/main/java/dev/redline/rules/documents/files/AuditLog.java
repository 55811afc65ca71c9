package dev.redline.rules.documents.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.rules.documents.internal.parsing.JsonObjectReader;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * A file of audit entries. A line is a CRC-32 checksum, the number of the revision it belongs to
 * (0: none) and the entry as a JSON object.
 *
 * <p>The entry of a revision is written before the revision itself, and is valid once the revision
 * exists. After a crash the last lines may be incomplete or belong to a revision that was never
 * written: they are ignored by readers and removed by the next writer. Writers hold the lock of the
 * repository.
 */
final class AuditLog {
  private static final int MAX_LINES = 1000;

  private record Line(long revision, AuditEntry entry) {}

  private final Path file;

  AuditLog(Path file) {
    this.file = file;
  }

  /** Returns the latest entries, newest first. */
  List<AuditEntry> latest(int atMost, long newestRevision) throws IOException {
    List<AuditEntry> entries = new ArrayList<>();
    List<String> lines = validLines(newestRevision);
    for (int i = lines.size() - 1; i >= 0 && entries.size() < atMost; i--) {
      Optional<Line> line = parse(lines.get(i));
      line.ifPresent(read -> entries.add(read.entry()));
    }
    return entries;
  }

  /** Adds an entry for a revision that is about to be written, or for none (0). */
  void append(AuditEntry entry, long revision, long newestRevision) throws IOException {
    List<String> lines = validLines(newestRevision);
    String added = text(entry, revision);
    if (lines.size() >= 2 * MAX_LINES) {
      List<String> kept = new ArrayList<>(lines.subList(lines.size() - MAX_LINES, lines.size()));
      kept.add(added);
      PrivateFiles.replace(file, (String.join("\n", kept) + "\n").getBytes(UTF_8));
      return;
    }
    long length = 0;
    for (String line : lines) {
      length += line.getBytes(UTF_8).length + 1;
    }
    try (FileChannel channel = PrivateFiles.open(file)) {
      channel.truncate(length).position(length);
      PrivateFiles.writeFully(channel, (added + "\n").getBytes(UTF_8));
      channel.force(true);
    }
  }

  /** Returns the valid lines, oldest first, without invalid ones at the end. */
  private List<String> validLines(long newestRevision) throws IOException {
    if (!Files.exists(file)) {
      return List.of();
    }
    String content = new String(Files.readAllBytes(file), UTF_8);
    int end = content.lastIndexOf('\n');
    if (end < 0) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    Collections.addAll(lines, content.substring(0, end).split("\n", -1));
    while (!lines.isEmpty()) {
      Optional<Line> last = parse(lines.get(lines.size() - 1));
      if (last.isPresent() && last.get().revision() <= newestRevision) {
        break;
      }
      lines.remove(lines.size() - 1);
    }
    return lines;
  }

  private static String text(AuditEntry entry, long revision) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("at", entry.at().toEpochMilli());
    fields.put("by", entry.by());
    fields.put("action", entry.action());
    entry.ruleId().ifPresent(id -> fields.put("ruleId", id));
    entry.ruleSetId().ifPresent(id -> fields.put("ruleSetId", id));
    entry.version().ifPresent(version -> fields.put("version", version));
    entry.before().ifPresent(json -> fields.put("before", json));
    entry.after().ifPresent(json -> fields.put("after", json));
    String rest = revision + " " + JsonWriter.of(fields);
    return checksum(rest) + " " + rest;
  }

  private static Optional<Line> parse(String line) {
    int first = line.indexOf(' ');
    int second = line.indexOf(' ', first + 1);
    if (first < 0
        || second < 0
        || !checksum(line.substring(first + 1)).equals(line.substring(0, first))) {
      return Optional.empty();
    }
    try {
      JsonObjectReader fields = new JsonObjectReader(line.substring(second + 1));
      return Optional.of(
          new Line(
              Long.parseLong(line.substring(first + 1, second)),
              new AuditEntry(
                  Instant.ofEpochMilli(fields.number("at")),
                  fields.required("by"),
                  fields.required("action"),
                  fields.text("ruleId"),
                  fields.text("ruleSetId"),
                  fields.optionalNumber("version"),
                  fields.text("before"),
                  fields.text("after"))));
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
