package dev.redline.rules.mongo;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonObjectId;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;

/**
 * The head: the one document on which writers compare and set. It names the newest revision, and
 * whether its rules still have to be written ({@code pending}, the intent).
 */
final class RevisionHead {
  private static final Bson ID = Filters.eq("_id", "head");
  private static final String VERSION = "version";
  private static final String RECORD = "record";
  private static final String PENDING = "pending";
  private static final String AUDIT = "audit";

  /**
   * The head at one moment.
   *
   * @param version the version of the newest revision; 0 if there is none
   * @param record the record of the newest revision
   * @param pending whether the documents of the rules may not say yet what the revision says
   */
  record Position(long version, Optional<ObjectId> record, boolean pending) {
    static final Position NONE = new Position(0, Optional.empty(), false);

    Position done() {
      return new Position(version, record, false);
    }
  }

  private final MongoCollection<BsonDocument> documents;

  RevisionHead(MongoCollection<BsonDocument> documents) {
    this.documents = documents;
  }

  /** Creates the head if there is none. */
  private void create() {
    try {
      documents.updateOne(
          ID,
          Updates.combine(
              Updates.setOnInsert(VERSION, 0L),
              Updates.setOnInsert(PENDING, false),
              Updates.setOnInsert(AUDIT, 0L)),
          new UpdateOptions().upsert(true));
    } catch (MongoWriteException e) {
      if (e.getError().getCategory() != ErrorCategory.DUPLICATE_KEY) {
        throw e;
      }
      // Another node has created it.
    }
  }

  Position read() {
    BsonDocument head = documents.find(ID).first();
    if (head == null) {
      return Position.NONE;
    }
    return new Position(
        number(head.get(VERSION)),
        head.get(RECORD) instanceof BsonObjectId id ? Optional.of(id.getValue()) : Optional.empty(),
        head.get(PENDING) instanceof BsonBoolean pending && pending.getValue());
  }

  /** Moves the head, if it is still where it was; its rules have to be written then. */
  boolean move(Position from, long version, ObjectId record) {
    if (from.equals(Position.NONE)) {
      create();
    }
    return documents
            .updateOne(
                at(from),
                Updates.combine(
                    Updates.set(VERSION, version),
                    Updates.set(RECORD, record),
                    Updates.set(PENDING, true)))
            .getMatchedCount()
        > 0;
  }

  /** Notes that the rules of this position are written, if the head is still there. */
  void finish(Position position) {
    documents.updateOne(at(position), Updates.set(PENDING, false));
  }

  private static Bson at(Position position) {
    return Filters.and(
        ID,
        Filters.eq(VERSION, position.version()),
        position.record().isPresent()
            ? Filters.eq(RECORD, position.record().get())
            : Filters.exists(RECORD, false),
        Filters.eq(PENDING, position.pending()));
  }

  /** Returns the next number of an audit entry. */
  long nextAudit() {
    BsonDocument head = increment();
    if (head == null) {
      create();
      head = increment();
    }
    return number(head == null ? null : head.get(AUDIT));
  }

  private @Nullable BsonDocument increment() {
    return documents.findOneAndUpdate(
        ID,
        Updates.inc(AUDIT, 1L),
        new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER));
  }

  private static long number(@Nullable BsonValue value) {
    // Tools that export and import documents turn long numbers into short ones.
    return value instanceof BsonNumber number ? number.longValue() : 0;
  }
}
