package dev.redline.rules.mongo;

import dev.redline.core.internal.digest.Sha256;
import dev.redline.rules.documents.internal.parsing.JsonWriter;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;

/**
 * The field {@code redline} of a document: which revision wrote it. The digest shows whether
 * another tool has changed the document since.
 *
 * @param record the record of the revision
 * @param revision the version of the revision
 * @param digest a digest of the value
 */
record WriteTag(ObjectId record, long revision, String digest) {
  static final String FIELD = "redline";
  static final String REVISION = FIELD + ".revision";
  private static final int DIGEST_CHARACTERS = 32;

  static WriteTag of(ObjectId record, long revision, Map<String, Object> value) {
    return new WriteTag(record, revision, digest(value));
  }

  private static String digest(Map<String, Object> value) {
    return Sha256.hex(JsonWriter.of(value)).substring(0, DIGEST_CHARACTERS);
  }

  /** Returns the tag of a document, if it has one and still fits the value. */
  static Optional<WriteTag> genuine(BsonDocument document, Map<String, Object> value) {
    if (!(document.get(FIELD) instanceof BsonDocument tag)) {
      return Optional.empty();
    }
    if (tag.get("record") instanceof BsonObjectId record
        && tag.get("revision") instanceof BsonInt64 revision
        && tag.get("digest") instanceof BsonString digest
        && digest.getValue().equals(digest(value))) {
      return Optional.of(new WriteTag(record.getValue(), revision.getValue(), digest.getValue()));
    }
    return Optional.empty();
  }

  BsonDocument toBson() {
    return new BsonDocument("record", new BsonObjectId(record))
        .append("revision", new BsonInt64(revision))
        .append("digest", new BsonString(digest));
  }
}
