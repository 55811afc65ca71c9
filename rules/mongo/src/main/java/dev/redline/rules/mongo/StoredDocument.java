package dev.redline.rules.mongo;

import java.util.Map;
import java.util.Optional;
import org.bson.BsonDocument;

/**
 * A rule or plan as it is in a collection.
 *
 * @param bson the document
 * @param id the id of the rule or plan
 * @param value what it says
 * @param tag the revision that wrote it; absent if another tool wrote it or changed it since
 */
record StoredDocument(
    BsonDocument bson, String id, Map<String, Object> value, Optional<WriteTag> tag) {}
