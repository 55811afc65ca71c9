package dev.redline.rules.mongo;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonString;

/** Audit entries as BSON; fields that do not apply are absent. */
final class AuditBson {
  private AuditBson() {}

  static BsonDocument of(AuditEntry entry) {
    BsonDocument document =
        new BsonDocument("at", new BsonDateTime(entry.at().toEpochMilli()))
            .append("by", new BsonString(entry.by()))
            .append("action", new BsonString(entry.action()));
    put(document, "ruleId", entry.ruleId());
    put(document, "ruleSetId", entry.ruleSetId());
    entry.version().ifPresent(version -> document.put("version", new BsonInt64(version)));
    put(document, "before", entry.before());
    put(document, "after", entry.after());
    return document;
  }

  private static void put(BsonDocument document, String name, Optional<String> text) {
    text.ifPresent(value -> document.put(name, new BsonString(value)));
  }

  static AuditEntry parse(BsonDocument document) throws IOException {
    try {
      return new AuditEntry(
          Instant.ofEpochMilli(document.getDateTime("at").getValue()),
          document.getString("by").getValue(),
          document.getString("action").getValue(),
          text(document, "ruleId"),
          text(document, "ruleSetId"),
          document.containsKey("version")
              ? Optional.of(document.getNumber("version").longValue())
              : Optional.empty(),
          text(document, "before"),
          text(document, "after"));
    } catch (RuntimeException e) {
      throw new IOException("holds an audit entry that was not written by Redline", e);
    }
  }

  private static Optional<String> text(BsonDocument document, String name) {
    return document.containsKey(name)
        ? Optional.of(document.getString(name).getValue())
        : Optional.empty();
  }
}
