package dev.redline.rules.documents.reading;

import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Broken;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import dev.redline.rules.documents.internal.parsing.ScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Mappings whose names are the user's own: metadata, and the names in {@code match}. */
final class StringMapReader {
  /** YAML allows 1024 characters; every name must fit, even with each character escaped. */
  private static final int MAX_NAME = 128;

  private final MappingReader owner;
  private final String field;

  /** Reads a field of {@code owner}. */
  StringMapReader(MappingReader owner, String field) {
    this.owner = owner;
    this.field = field;
  }

  /** Reads each name with its text. */
  void texts(Mapping mapping, BiConsumer<String, String> reader) {
    entries(
        mapping,
        (name, value) -> {
          if (value instanceof Scalar scalar) {
            reader.accept(name, scalar.text());
          } else {
            throw new IllegalArgumentException(
                "'" + name + "' must be a text, was '" + value.describe() + "'");
          }
        });
  }

  /** Returns the mapping as plain Java values; what is null is left out. */
  Map<String, Object> values(Mapping mapping) {
    Map<String, Object> values = new LinkedHashMap<>();
    entries(
        mapping,
        (name, node) -> {
          Object value = value(name, node);
          if (value != null) {
            values.put(name, value);
          }
        });
    return Collections.unmodifiableMap(values);
  }

  private void entries(Mapping mapping, BiConsumer<String, Node> reader) {
    Map<String, Integer> lines = new HashMap<>();
    for (Entry entry : mapping.entries()) {
      int line = entry.key().line();
      try {
        String name = owner.placeholders().resolve(entry.key()).text();
        if (name.isEmpty() || name.length() > MAX_NAME) {
          throw new IllegalArgumentException(
              "a name must be 1 to " + MAX_NAME + " characters, was '" + name + "'");
        }
        Integer first = lines.putIfAbsent(name, line);
        if (first != null) {
          throw new IllegalArgumentException(
              "'" + name + "' is given twice, first at line " + first);
        }
        Node value = resolve(entry.value());
        if (!(value instanceof Scalar scalar && scalar.type() == ScalarType.NULL)) {
          reader.accept(name, value);
        }
      } catch (IllegalArgumentException e) {
        owner.markInvalid(field);
        owner.location().rejected(line, owner.field(field).name(), entry.value().describe(), e);
      }
    }
  }

  private Node resolve(Node node) {
    if (node instanceof Broken broken) {
      throw new IllegalArgumentException(broken.message());
    }
    return node instanceof Scalar scalar ? owner.placeholders().resolve(scalar) : node;
  }

  private @Nullable Object value(String name, Node written) {
    Node node = resolve(written);
    if (node instanceof Mapping mapping) {
      return values(mapping);
    }
    if (node instanceof Sequence sequence) {
      List<Object> items = new ArrayList<>();
      for (Node item : sequence.items()) {
        Object value = value(name, item);
        if (value != null) {
          items.add(value);
        }
      }
      return Collections.unmodifiableList(items);
    }
    return node instanceof Scalar scalar ? value(name, scalar) : null;
  }

  private static @Nullable Object value(String name, Scalar scalar) {
    return switch (scalar.type()) {
      case NULL -> null;
      case BOOLEAN -> scalar.text().equals("true");
      case INTEGER -> integer(new BigInteger(digits(name, scalar)));
      case DECIMAL -> new BigDecimal(digits(name, scalar));
      case TEXT -> scalar.text();
    };
  }

  private static String digits(String name, Scalar scalar) {
    if (scalar.text().length() > MappingReader.MAX_NUMBER) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "': a number must have at most "
              + MappingReader.MAX_NUMBER
              + " characters, was '"
              + scalar.describe()
              + "'; quote it to make it a text");
    }
    return scalar.text();
  }

  private static Object integer(BigInteger value) {
    return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
  }
}
