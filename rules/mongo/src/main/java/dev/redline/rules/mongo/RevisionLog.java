package dev.redline.rules.mongo;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Projections;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.core.spi.RuleRepository.RevisionHeader;
import dev.redline.rules.documents.internal.parsing.NodeParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.bson.BsonBinary;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/**
 * The latest 100 revisions and the latest 1,000 audit entries.
 *
 * <p>The record of a revision is inserted before the head moves to it, and counts only from then
 * on. Its text is compressed: a document of MongoDB holds at most 16 MiB.
 */
final class RevisionLog {
  static final int MAX_REVISIONS = 100;
  static final int MAX_AUDIT = 1000;
  private static final int MAX_BYTES = 2 * NodeParser.MAX_BYTES;
  private static final Duration ABANDONED = Duration.ofHours(1);
  private static final String ID = "_id";
  private static final String COMMITTED = "committed";
  private static final String VERSION = "version";

  /**
   * A revision and how it was written.
   *
   * @param id the id of the record
   * @param base the version it follows; 0 for none
   * @param external whether another tool changed the rules, so that there is nothing to write
   * @param entry its audit entry
   * @param entryNumber the number of the entry
   */
  record Entry(
      ObjectId id,
      Revision revision,
      long base,
      boolean external,
      AuditEntry entry,
      long entryNumber) {}

  private final MongoCollection<BsonDocument> revisions;
  private final MongoCollection<BsonDocument> audit;

  RevisionLog(MongoCollection<BsonDocument> revisions, MongoCollection<BsonDocument> audit) {
    this.revisions = revisions;
    this.audit = audit;
  }

  void createIndexes() {
    revisions.createIndex(
        Indexes.compoundIndex(Indexes.ascending(COMMITTED), Indexes.descending(VERSION)));
  }

  /** Inserts a record that does not count yet. */
  void insert(Entry entry) throws IOException {
    Revision revision = entry.revision();
    revisions.insertOne(
        new BsonDocument(ID, new BsonObjectId(entry.id()))
            .append(COMMITTED, BsonBoolean.FALSE)
            .append(VERSION, new BsonInt64(revision.version()))
            .append("base", new BsonInt64(entry.base()))
            .append("external", BsonBoolean.valueOf(entry.external()))
            .append("at", new BsonDateTime(revision.at().toEpochMilli()))
            .append("by", new BsonString(revision.by()))
            .append("summary", new BsonString(revision.summary()))
            .append("gzip", new BsonBinary(compressed(revision.document())))
            .append("entry", AuditBson.of(entry.entry()))
            .append("entryNumber", new BsonInt64(entry.entryNumber())));
  }

  /** Removes a record to which the head did not move. */
  void discard(ObjectId id) {
    revisions.deleteOne(Filters.and(Filters.eq(ID, id), Filters.eq(COMMITTED, false)));
  }

  /** Adds the audit entry of a record, and makes the record count. Has no effect if it does. */
  void commit(Entry entry) {
    put(entry.entryNumber(), entry.entry());
    revisions.updateOne(Filters.eq(ID, entry.id()), Updates.set(COMMITTED, true));
  }

  void note(long number, AuditEntry entry) {
    put(number, entry);
    audit.deleteMany(Filters.lte(ID, number - MAX_AUDIT));
  }

  private void put(long number, AuditEntry entry) {
    audit.replaceOne(
        Filters.eq(ID, number),
        AuditBson.of(entry).append(ID, new BsonInt64(number)),
        new ReplaceOptions().upsert(true));
  }

  /** Removes what is older than the log may be. */
  void trim(Entry newest, Instant now) {
    audit.deleteMany(Filters.lte(ID, newest.entryNumber() - MAX_AUDIT));
    BsonDocument first =
        revisions
            .find(Filters.eq(COMMITTED, true))
            .sort(Sorts.descending(VERSION))
            .skip(MAX_REVISIONS)
            .projection(new BsonDocument(VERSION, new BsonInt64(1)))
            .first();
    if (first != null) {
      revisions.deleteMany(
          Filters.and(
              Filters.eq(COMMITTED, true),
              Filters.lte(VERSION, first.getNumber(VERSION).longValue())));
    }
    // Of writers that ended before the head moved.
    ObjectId oldest = ObjectId.getSmallestWithDate(Date.from(now.minus(ABANDONED)));
    revisions.deleteMany(Filters.and(Filters.eq(COMMITTED, false), Filters.lt(ID, oldest)));
  }

  /**
   * Returns a record.
   *
   * @throws IOException if it is missing or cannot be read
   */
  Entry read(ObjectId id) throws IOException {
    BsonDocument document = revisions.find(Filters.eq(ID, id)).first();
    if (document == null) {
      throw new IOException(
          "the newest revision is not in "
              + revisions.getNamespace().getCollectionName()
              + "; restore that collection from a backup, or drop all collections of Redline except"
              + " those of rules and plans to start a new history");
    }
    return parse(document);
  }

  Optional<Entry> committed(long version) throws IOException {
    BsonDocument document =
        revisions
            .find(Filters.and(Filters.eq(COMMITTED, true), Filters.eq(VERSION, version)))
            .first();
    return document == null ? Optional.empty() : Optional.of(parse(document));
  }

  List<Revision> latest(int atMost) throws IOException {
    List<Revision> latest = new ArrayList<>();
    if (atMost > 0) {
      Bson committed = Filters.eq(COMMITTED, true);
      int limit = Math.min(atMost, MAX_REVISIONS);
      for (BsonDocument document :
          revisions.find(committed).sort(Sorts.descending(VERSION)).limit(limit)) {
        latest.add(parse(document).revision());
      }
    }
    return latest;
  }

  List<RevisionHeader> latestHeaders(int atMost) throws IOException {
    List<RevisionHeader> latest = new ArrayList<>();
    if (atMost > 0) {
      Bson committed = Filters.eq(COMMITTED, true);
      int limit = Math.min(atMost, MAX_REVISIONS);
      for (BsonDocument document :
          revisions
              .find(committed)
              .projection(Projections.include(VERSION, "at", "by", "summary"))
              .sort(Sorts.descending(VERSION))
              .limit(limit)) {
        latest.add(parseHeader(document));
      }
    }
    return latest;
  }

  private static RevisionHeader parseHeader(BsonDocument document) throws IOException {
    try {
      return new RevisionHeader(
          document.getNumber(VERSION).longValue(),
          Instant.ofEpochMilli(document.getDateTime("at").getValue()),
          document.getString("by").getValue(),
          document.getString("summary").getValue());
    } catch (RuntimeException e) {
      throw new IOException("holds a revision that was not written by Redline", e);
    }
  }

  List<AuditEntry> audit(int atMost) throws IOException {
    List<AuditEntry> entries = new ArrayList<>();
    if (atMost > 0) {
      int limit = Math.min(atMost, MAX_AUDIT);
      for (BsonDocument document : audit.find().sort(Sorts.descending(ID)).limit(limit)) {
        entries.add(AuditBson.parse(document));
      }
    }
    return entries;
  }

  private static Entry parse(BsonDocument document) throws IOException {
    try {
      return new Entry(
          document.getObjectId(ID).getValue(),
          new Revision(
              document.getNumber(VERSION).longValue(),
              decompressed(document.getBinary("gzip").getData()),
              Instant.ofEpochMilli(document.getDateTime("at").getValue()),
              document.getString("by").getValue(),
              document.getString("summary").getValue()),
          document.getNumber("base").longValue(),
          document.getBoolean("external").getValue(),
          AuditBson.parse(document.getDocument("entry")),
          document.getNumber("entryNumber").longValue());
    } catch (RuntimeException e) {
      throw new IOException("holds a revision that was not written by Redline", e);
    }
  }

  private static byte[] compressed(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  private static String decompressed(byte[] bytes) throws IOException {
    try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(gzip.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
    }
  }
}
