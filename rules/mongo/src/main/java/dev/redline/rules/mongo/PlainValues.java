package dev.redline.rules.mongo;

import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDecimal128;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;

/**
 * Rules as plain values, in one form whether they come from text or from BSON: sorted maps, lists,
 * texts, booleans, {@code Long}s, and {@code BigDecimal}s for other numbers. Null means absent.
 */
final class PlainValues {
  private static final BigDecimal MAX_LONG = BigDecimal.valueOf(Long.MAX_VALUE);
  private static final BigDecimal MIN_LONG = BigDecimal.valueOf(Long.MIN_VALUE);

  private PlainValues() {}

  /** Returns the value of a parsed text; null for null. */
  static @Nullable Object of(Node node) {
    if (node instanceof Mapping mapping) {
      Map<String, Object> values = new TreeMap<>();
      for (Entry entry : mapping.entries()) {
        Object value = of(entry.value());
        if (value != null) {
          values.put(entry.key().text(), value);
        }
      }
      return values;
    }
    if (node instanceof Sequence sequence) {
      List<Object> items = new ArrayList<>();
      for (Node item : sequence.items()) {
        Object value = of(item);
        if (value != null) {
          items.add(value);
        }
      }
      return items;
    }
    return node instanceof Scalar scalar ? of(scalar) : node.describe();
  }

  private static @Nullable Object of(Scalar scalar) {
    return switch (scalar.type()) {
      case NULL -> null;
      case BOOLEAN -> scalar.text().equals("true");
      case INTEGER, DECIMAL -> number(new BigDecimal(scalar.text()));
      case TEXT -> scalar.text();
    };
  }

  /** Returns the map of a document. */
  static Map<String, Object> of(BsonDocument document) {
    Map<String, Object> values = new TreeMap<>();
    document.forEach(
        (name, bson) -> {
          try {
            Object value = of(bson);
            if (value != null) {
              values.put(name, value);
            }
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + name + "': " + e.getMessage(), e);
          }
        });
    return values;
  }

  /**
   * Returns the value of BSON; null for null.
   *
   * @throws IllegalArgumentException if no rule document can hold it
   */
  static @Nullable Object of(BsonValue bson) {
    return switch (bson.getBsonType()) {
      case NULL, UNDEFINED -> null;
      case BOOLEAN -> bson.asBoolean().getValue();
      case INT32 -> (long) bson.asInt32().getValue();
      case INT64 -> bson.asInt64().getValue();
      case DOUBLE -> number(finite(bson.asDouble().getValue()));
      case DECIMAL128 -> number(finite(bson.asDecimal128().getValue()));
      case STRING -> bson.asString().getValue();
      case SYMBOL -> bson.asSymbol().getSymbol();
      case OBJECT_ID -> bson.asObjectId().getValue().toHexString();
      case DATE_TIME -> Instant.ofEpochMilli(bson.asDateTime().getValue()).toString();
      case DOCUMENT -> of(bson.asDocument());
      case ARRAY -> bson.asArray().stream().map(PlainValues::of).filter(v -> v != null).toList();
      default ->
          throw new IllegalArgumentException(
              "a rule cannot hold the BSON type " + bson.getBsonType());
    };
  }

  private static BigDecimal finite(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("a rule cannot hold the number " + value);
    }
    return BigDecimal.valueOf(value);
  }

  private static BigDecimal finite(Decimal128 value) {
    if (!value.isFinite()) {
      throw new IllegalArgumentException("a rule cannot hold the number " + value);
    }
    try {
      return value.bigDecimalValue();
    } catch (ArithmeticException e) {
      // There is no BigDecimal for -0, with any exponent.
      return BigDecimal.ZERO;
    }
  }

  private static Object number(BigDecimal value) {
    BigDecimal stripped = value.stripTrailingZeros();
    boolean whole = stripped.scale() <= 0;
    return whole && stripped.compareTo(MAX_LONG) <= 0 && stripped.compareTo(MIN_LONG) >= 0
        ? (Object) stripped.longValueExact()
        : stripped;
  }

  /**
   * Returns a value as BSON.
   *
   * @throws IllegalArgumentException if it is a number that BSON cannot hold
   */
  static BsonValue toBson(Object value) {
    if (value instanceof Map<?, ?> map) {
      BsonDocument document = new BsonDocument();
      map.forEach((name, item) -> document.put(String.valueOf(name), toBson(item)));
      return document;
    }
    if (value instanceof List<?> list) {
      BsonArray array = new BsonArray();
      list.forEach(item -> array.add(toBson(item)));
      return array;
    }
    if (value instanceof Long number) {
      return new BsonInt64(number);
    }
    if (value instanceof BigDecimal number) {
      return decimal(number);
    }
    return value instanceof Boolean flag
        ? BsonBoolean.valueOf(flag)
        : new BsonString(String.valueOf(value));
  }

  private static BsonValue decimal(BigDecimal number) {
    double nearest = number.doubleValue();
    if (Double.isFinite(nearest) && BigDecimal.valueOf(nearest).compareTo(number) == 0) {
      return new BsonDouble(nearest);
    }
    try {
      return new BsonDecimal128(new Decimal128(number));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("MongoDB cannot hold the number " + number, e);
    }
  }
}
