package dev.redline.rules.mongo;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.WriteModel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.bson.BSONException;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.bson.types.ObjectId;

/**
 * The collection of the rules, or that of the plans: one document each.
 *
 * <p>{@code _id} is the id, except where another tool made the document with an {@code _id} of its
 * own beside {@code id}; it is then kept. Fields of other tools that start with an underscore are
 * ignored.
 */
final class RuleCollection {
  private static final int DUPLICATE_KEY = 11000;
  private static final int MAX_BULK = 100;
  private static final String ID = "_id";

  private final MongoCollection<BsonDocument> documents;
  private final UnaryOperator<Map<String, Object>> form;
  private final boolean rules;

  private RuleCollection(
      MongoCollection<BsonDocument> documents,
      UnaryOperator<Map<String, Object>> form,
      boolean rules) {
    this.documents = documents;
    this.form = form;
    this.rules = rules;
  }

  static RuleCollection ofRules(MongoCollection<BsonDocument> documents) {
    return new RuleCollection(
        documents, value -> RuleContent.rule(FluxGateDocuments.translate(value)), true);
  }

  static RuleCollection ofPlans(MongoCollection<BsonDocument> documents) {
    return new RuleCollection(documents, RuleContent::plan, false);
  }

  /**
   * Reads all documents, in the order of {@code _id}: documents with the same rule id would
   * otherwise seem to change when MongoDB returns them in another order.
   *
   * @throws IOException if one holds what no rule can hold
   */
  List<StoredDocument> read() throws IOException {
    List<StoredDocument> stored = new ArrayList<>();
    for (BsonDocument document : documents.find().sort(Sorts.ascending(ID))) {
      try {
        stored.add(stored(document));
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "the document with _id "
                + shown(document.get(ID, BsonNull.VALUE))
                + " of "
                + documents.getNamespace().getCollectionName()
                + " cannot be read: "
                + e.getMessage(),
            e);
      }
    }
    return stored;
  }

  private StoredDocument stored(BsonDocument document) {
    BsonDocument fields = new BsonDocument();
    document.forEach(
        (name, value) -> {
          if (name.equals(ID) || (!name.startsWith("_") && !name.equals(WriteTag.FIELD))) {
            fields.put(name, value);
          }
        });
    Map<String, Object> value = form.apply(PlainValues.of(fields));
    return new StoredDocument(
        document, String.valueOf(value.get("id")), value, WriteTag.genuine(document, value));
  }

  private static String shown(BsonValue id) {
    return id.isString() ? "'" + id.asString().getValue() + "'" : id.toString();
  }

  /**
   * Makes the documents of some ids say what a revision says. Doing it again has no effect. A
   * document that changed after it was read is left as it is, so that a slow writer cannot undo
   * what a later one wrote.
   *
   * @param ids the ids of the documents
   * @param target what they say in the revision; an id that is absent there is removed
   * @param actual the documents as they were read
   * @return what MongoDB rejected; empty if nothing
   */
  List<String> apply(
      Set<String> ids,
      SortedMap<String, List<Map<String, Object>>> target,
      List<StoredDocument> actual,
      ObjectId record,
      long version) {
    SortedMap<String, List<StoredDocument>> existing = new TreeMap<>();
    actual.forEach(each -> existing.computeIfAbsent(each.id(), id -> new ArrayList<>(1)).add(each));
    Set<BsonValue> keys = new HashSet<>();
    actual.forEach(each -> keys.add(each.bson().get(ID)));
    List<String> rejected = new ArrayList<>();
    List<WriteModel<BsonDocument>> writes = new ArrayList<>();
    for (String id : ids) {
      List<StoredDocument> stored = existing.getOrDefault(id, List.of());
      List<Map<String, Object>> values = target.getOrDefault(id, List.of());
      if (values.isEmpty()) {
        stored.forEach(each -> writes.add(new DeleteOneModel<>(unchanged(each))));
      } else if (stored.isEmpty() && keys.contains(new BsonString(id))) {
        // As after a tool gave that document another id.
        rejected.add("'" + id + "' is the _id of a document with another id");
      } else {
        writes.addAll(replace(id, values.get(0), stored, record, version));
      }
    }
    rejected.addAll(write(writes));
    return rejected;
  }

  /** Replaces one document of this id, or inserts it, and removes further ones. */
  private List<WriteModel<BsonDocument>> replace(
      String id,
      Map<String, Object> value,
      List<StoredDocument> stored,
      ObjectId record,
      long version) {
    List<WriteModel<BsonDocument>> writes = new ArrayList<>();
    if (stored.isEmpty()) {
      BsonValue key = new BsonString(id);
      writes.add(
          new ReplaceOneModel<>(
              Filters.and(Filters.eq(ID, key), Filters.lt(WriteTag.REVISION, version)),
              bson(key, value, record, version),
              new ReplaceOptions().upsert(true)));
    }
    for (int i = 0; i < stored.size(); i++) {
      StoredDocument each = stored.get(i);
      if (i > 0) {
        writes.add(new DeleteOneModel<>(unchanged(each)));
      } else if (!each.value().equals(value)) {
        writes.add(
            new ReplaceOneModel<>(
                unchanged(each),
                bson(each.bson().get(ID, BsonNull.VALUE), value, record, version)));
      }
    }
    return writes;
  }

  /** Returns a filter for the document that was read, unless it was written since. */
  private static Bson unchanged(StoredDocument stored) {
    BsonValue tag = stored.bson().get(WriteTag.FIELD);
    BsonValue revision = tag instanceof BsonDocument fields ? fields.get("revision") : null;
    Bson id = Filters.eq(ID, stored.bson().get(ID));
    return revision == null
        ? Filters.and(id, Filters.exists(WriteTag.REVISION, false))
        : Filters.and(id, Filters.eq(WriteTag.REVISION, revision));
  }

  /**
   * Converts values without writing them.
   *
   * @throws IllegalArgumentException if MongoDB cannot hold one
   */
  void check(String id, List<Map<String, Object>> values, ObjectId record, long version) {
    for (Map<String, Object> value : values) {
      bson(new BsonString(id), value, record, version);
      value.keySet().stream()
          .filter(name -> name.startsWith("$"))
          .findFirst()
          .ifPresent(
              name -> {
                throw new IllegalArgumentException(
                    "'" + id + "': MongoDB cannot hold the field '" + name + "'");
              });
    }
  }

  private BsonDocument bson(
      BsonValue key, Map<String, Object> value, ObjectId record, long version) {
    BsonDocument fields = PlainValues.toBson(value).asDocument();
    BsonDocument document = new BsonDocument(ID, key);
    BsonValue id = fields.remove("id");
    if (id != null && !key.equals(id)) {
      document.put("id", id);
    }
    document.putAll(fields);
    if (rules) {
      // Other tools and the indexes find these fields in every rule.
      document.putIfAbsent("enabled", BsonBoolean.TRUE);
      document.putIfAbsent("priority", new BsonInt64(0));
    }
    document.put(WriteTag.FIELD, WriteTag.of(record, version, value).toBson());
    return document;
  }

  /** Writes in parts, each of which a slow server can do within the time-out of a call. */
  private List<String> write(List<WriteModel<BsonDocument>> writes) {
    List<String> rejected = new ArrayList<>();
    for (int from = 0; from < writes.size(); from += MAX_BULK) {
      rejected.addAll(writePart(writes.subList(from, Math.min(writes.size(), from + MAX_BULK))));
    }
    return rejected;
  }

  private List<String> writePart(List<WriteModel<BsonDocument>> writes) {
    try {
      documents.bulkWrite(writes, new BulkWriteOptions().ordered(false));
      return List.of();
    } catch (IllegalArgumentException | BSONException e) {
      // The driver has sent nothing.
      return List.of(String.valueOf(e.getMessage()));
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null) {
        throw e;
      }
      return e.getWriteErrors().stream()
          // Another writer has inserted the document.
          .filter(error -> error.getCode() != DUPLICATE_KEY)
          .map(BulkWriteError::getMessage)
          .toList();
    }
  }
}
