package dev.redline.server.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.limit.RateLimitBand;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of {@code /v1/check}, {@code /v1/check/batch} and {@code /v1/explain} with a
 * streaming parser, without building a tree.
 *
 * <p>Strict: an unknown field, a field given twice, a wrong type and text after the end are
 * rejected with an error that names the field. Thread-safe.
 */
final class CheckReader {
  private static final int MAX_CHECKS = 1000;
  private static final String CHECK_FIELDS =
      "ruleSetId, exceptRuleSets, request, ruleId, identity, plans, key, cost, dryRun";

  /**
   * The parser has no limits below that of the body: beyond one it cannot go on, so one item of a
   * batch would fail all of them. What is too long or too deep is an error of its field.
   */
  private static final StreamReadConstraints CONSTRAINTS =
      StreamReadConstraints.builder()
          .maxNameLength(JsonBody.MAX_BYTES)
          .maxNumberLength(JsonBody.MAX_BYTES)
          .maxNestingDepth(JsonBody.MAX_BYTES)
          .build();

  /** Parsers of bodies up to this size share a table of the names that they have seen. */
  private static final int SHARED_NAMES_BYTES = 4096;

  private static final JsonFactory JSON = newFactory();

  private final @Nullable InlineLimitReader inlineLimits;
  private final UserTokens tokens;

  /** Creates a reader; {@code inlineLimits} is null if checks may not carry limits. */
  CheckReader(@Nullable InlineLimitReader inlineLimits, UserTokens tokens) {
    this.inlineLimits = inlineLimits;
    this.tokens = tokens;
  }

  /** One item of a batch: the fields of a check, or an error. */
  sealed interface BatchItem permits CheckFields, InvalidItem {}

  /** An item that is not a readable check. */
  record InvalidItem(HttpProblem problem) implements BatchItem {}

  /** Reads the body of a check. */
  CheckFields check(byte[] body) {
    try (JsonParser json = parser(body)) {
      JsonFields.startBody(json);
      CheckFields fields = check(json);
      JsonFields.endBody(json);
      return fields;
    } catch (IOException e) {
      throw JsonFields.malformed(e);
    }
  }

  /** Reads the body of a batch. */
  List<BatchItem> batch(byte[] body) {
    try (JsonParser json = parser(body)) {
      JsonFields.startBody(json);
      List<BatchItem> items = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String field = json.currentName();
        if (!field.equals("checks")) {
          throw JsonFields.unknownField(field, "checks");
        }
        if (items != null) {
          throw JsonFields.givenTwice(field);
        }
        json.nextToken();
        items = items(json);
      }
      JsonFields.endBody(json);
      if (items == null || items.isEmpty()) {
        throw HttpProblem.field("checks", "must have 1 to " + MAX_CHECKS + " items, has none");
      }
      return items;
    } catch (IOException e) {
      throw JsonFields.malformed(e);
    }
  }

  private static JsonParser parser(byte[] body) throws IOException {
    if (!isUtf8(body)) {
      throw new HttpProblem(400, "the body is not valid JSON: it is not UTF-8");
    }
    // The shared table keeps thousands of names, so the long ones of large bodies stay out of it.
    return (body.length <= SHARED_NAMES_BYTES ? JSON : newFactory()).createParser(body);
  }

  private static JsonFactory newFactory() {
    // Field names are not interned: callers choose some of them, so the table would grow.
    return JsonFactory.builder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .streamReadConstraints(CONSTRAINTS)
        .build();
  }

  /**
   * Returns whether bytes are UTF-8. The JSON parser also accepts overlong forms and surrogates,
   * which are other spellings of the same text.
   */
  private static boolean isUtf8(byte[] bytes) {
    for (byte next : bytes) {
      if (next < 0) {
        try {
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
          return true;
        } catch (CharacterCodingException e) {
          return false;
        }
      }
    }
    return true;
  }

  private List<BatchItem> items(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw HttpProblem.field(
          "checks", "must be a list, was " + JsonFields.kind(json.currentToken()));
    }
    JsonStreamContext list = json.getParsingContext();
    List<BatchItem> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (items.size() == MAX_CHECKS) {
        throw HttpProblem.field("checks", "must have 1 to " + MAX_CHECKS + " items, has more");
      }
      items.add(item(json, list));
    }
    return items;
  }

  private BatchItem item(JsonParser json, JsonStreamContext list) throws IOException {
    try {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw new HttpProblem(
            400, "a check must be an object, was " + JsonFields.kind(json.currentToken()));
      }
      return check(json);
    } catch (HttpProblem problem) {
      // Skip the rest of the item: the others are still decided.
      while (json.getParsingContext() != list) {
        json.nextToken();
        if (json.currentToken() == null) {
          throw JsonFields.malformed(null);
        }
      }
      return new InvalidItem(problem);
    }
  }

  /** Reads one check; the parser is on the start of its object. */
  private CheckFields check(JsonParser json) throws IOException {
    CheckFields fields = new CheckFields(inlineLimits, tokens);
    int seenBits = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      json.nextToken();
      int fieldBit = readField(json, field, fields);
      if ((seenBits & fieldBit) != 0) {
        throw JsonFields.givenTwice(field);
      }
      seenBits |= fieldBit;
    }
    return fields;
  }

  /** Reads one field; returns a bit that stands for it, to find fields given twice. */
  private int readField(JsonParser json, String field, CheckFields fields) throws IOException {
    switch (field) {
      case "request" -> {
        fields.request = RequestReader.read(json);
        return 1;
      }
      case "ruleSetId" -> {
        fields.ruleSetId = JsonFields.name(json, field);
        return 1 << 1;
      }
      case "ruleId" -> {
        fields.ruleId = JsonFields.name(json, field);
        return 1 << 2;
      }
      case "identity" -> {
        String single =
            json.currentToken() == JsonToken.START_ARRAY ? null : JsonFields.text(json, field);
        fields.identity = single != null ? List.of(single) : JsonFields.texts(json, field);
        return 1 << 3;
      }
      case "plans" -> {
        fields.plans = JsonFields.texts(json, field);
        return 1 << 4;
      }
      case "key" -> {
        fields.key = JsonFields.name(json, field);
        return 1 << 5;
      }
      case "cost" -> {
        fields.cost = JsonFields.number(json, field, 1, 1, RateLimitBand.MAX_TOKENS);
        return 1 << 6;
      }
      case "dryRun" -> {
        fields.dryRun = JsonFields.bool(json, field);
        return 1 << 7;
      }
      case "limit" -> {
        fields.limit = JsonFields.any(json, field);
        return 1 << 8;
      }
      case "bands" -> {
        fields.bands = JsonFields.any(json, field);
        return 1 << 9;
      }
      case "exceptRuleSets" -> {
        fields.exceptRuleSets = JsonFields.texts(json, field);
        return 1 << 10;
      }
      default ->
          throw JsonFields.unknownField(
              field, inlineLimits == null ? CHECK_FIELDS : CHECK_FIELDS + ", limit, bands");
    }
  }
}
