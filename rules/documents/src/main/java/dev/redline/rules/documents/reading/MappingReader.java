package dev.redline.rules.documents.reading;

import dev.redline.rules.documents.internal.parsing.Node;
import dev.redline.rules.documents.internal.parsing.Node.Broken;
import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import dev.redline.rules.documents.internal.parsing.Node.Sequence;
import dev.redline.rules.documents.internal.parsing.Placeholders;
import dev.redline.rules.documents.internal.parsing.ScalarType;
import dev.redline.rules.documents.internal.problem.ProblemLocation;
import dev.redline.rules.documents.internal.syntax.EnumReader;
import dev.redline.rules.documents.internal.syntax.Suggestions;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of one mapping and reports invalid ones.
 *
 * <p>An invalid field is reported once, and the consumer of its value is not called. A missing
 * value may thus mean an invalid field: callers check {@link #isValid()} before they use a default.
 */
final class MappingReader {
  /**
   * A field as written in the document.
   *
   * @param name the spelling used
   * @param value its value, or null if it was reported as unreadable
   * @param line its line
   */
  record Field(String name, @Nullable Node value, int line) {}

  /** The time to read a number grows with the square of its length. */
  static final int MAX_NUMBER = 100;

  private final ProblemLocation location;
  private final Placeholders placeholders;
  private final int line;
  private final Map<String, Field> present = new HashMap<>();
  private final Set<String> invalid = new HashSet<>();
  private boolean unknownFields;

  MappingReader(
      ProblemLocation location, Mapping mapping, FieldNames names, Placeholders placeholders) {
    this.location = location;
    this.placeholders = placeholders;
    this.line = mapping.line();
    Map<String, Integer> lines = new HashMap<>();
    for (Entry entry : mapping.entries()) {
      String name = entry.key().text();
      String canonical = names.canonical(name);
      int line = entry.key().line();
      Integer first = lines.putIfAbsent(name, line);
      if (first != null) {
        invalid.add(canonical == null ? name : canonical);
        location.error(
            line,
            name,
            entry.value().describe(),
            "'" + name + "' is given twice, first at line " + first);
      } else if (canonical == null) {
        unknownFields = true;
        rejectUnknown(name, entry, names);
      } else {
        add(canonical, name, entry.value(), line);
      }
    }
  }

  private void rejectUnknown(String name, Entry entry, FieldNames names) {
    String value = entry.value().describe();
    location.error(
        entry.key().line(),
        name,
        value,
        "unknown field '" + name + "' (value '" + value + "')",
        Suggestions.closest(name, names.spellings()));
  }

  private void add(String canonical, String name, Node written, int line) {
    Node value = resolve(name, written, line);
    if (value instanceof Scalar scalar && scalar.type() == ScalarType.NULL) {
      return;
    }
    if (value == null) {
      invalid.add(canonical);
    }
    Field other = present.putIfAbsent(canonical, new Field(name, value, line));
    if (other != null) {
      reject(
          canonical,
          line,
          name,
          written.describe(),
          "'" + name + "' and '" + other.name() + "' are the same field; keep one");
    }
  }

  /** Returns the node with placeholders replaced, or null after reporting that it is unreadable. */
  private @Nullable Node resolve(String name, Node node, int line) {
    if (node instanceof Broken broken) {
      location.error(line, name, broken.text(), name + ": " + broken.message());
      return null;
    }
    if (node instanceof Scalar scalar) {
      try {
        return placeholders.resolve(scalar);
      } catch (IllegalArgumentException e) {
        location.rejected(line, name, scalar.text(), e);
        return null;
      }
    }
    return node;
  }

  ProblemLocation location() {
    return location;
  }

  Placeholders placeholders() {
    return placeholders;
  }

  /** Returns the line the mapping starts on. */
  int line() {
    return line;
  }

  /** Returns whether the mapping has this field, valid or not. */
  boolean has(String name) {
    return present.containsKey(name);
  }

  /** Returns whether the mapping has this field and its value is not an empty list. */
  boolean hasValue(String name) {
    Field field = present.get(name);
    return field != null
        && !(field.value() instanceof Sequence sequence && sequence.items().isEmpty());
  }

  /** Returns a field that the mapping has. */
  Field field(String name) {
    Field field = present.get(name);
    if (field == null) {
      throw new IllegalStateException("no field " + name);
    }
    return field;
  }

  /** Returns whether there are unknown fields, one of which may be a misspelt required field. */
  boolean hasUnknownFields() {
    return unknownFields;
  }

  /** Returns whether no problem was reported so far. */
  boolean isValid() {
    return invalid.isEmpty() && !unknownFields;
  }

  /** Returns whether no problem was reported for this field so far. */
  boolean isValid(String name) {
    return !invalid.contains(name);
  }

  /** Marks a field as invalid after its problem was reported elsewhere. */
  void markInvalid(String name) {
    invalid.add(name);
  }

  /** Reports that a required field is missing. */
  void missing(String name, String message) {
    invalid.add(name);
    location.missing(line, name, message);
  }

  /** Reports a problem with a field that the mapping has. */
  void reject(String name, String message) {
    Field field = field(name);
    String value = field.value() == null ? "" : field.value().describe();
    reject(name, field.line(), field.name(), value, message);
  }

  private void reject(String name, int line, String spelling, String value, String message) {
    invalid.add(name);
    location.error(line, spelling, value, message);
  }

  /** Reads a field with a single text; a number is read as text. */
  void text(String name, Consumer<String> reader) {
    scalar(name, "a text", scalar -> reader.accept(scalar.text()));
  }

  /** Reads a field with one constant of an enum. */
  <E extends Enum<E>> void word(String name, EnumReader<E> words, Consumer<E> reader) {
    scalar(
        name,
        "one of " + String.join(", ", words.canonical()),
        scalar -> reader.accept(words.read(field(name).name(), scalar.text())));
  }

  /** Reads a field with true or false. */
  void flag(String name, Consumer<Boolean> reader) {
    scalar(
        name,
        "true or false",
        scalar -> {
          if (scalar.type() != ScalarType.BOOLEAN) {
            throw wrongType(name, "true or false", scalar);
          }
          reader.accept(scalar.text().equals("true"));
        });
  }

  /** Reads a field with a whole number. */
  void number(String name, LongConsumer reader) {
    scalar(
        name,
        "a whole number",
        scalar -> {
          BigDecimal number = decimal(name, "a whole number", scalar);
          long whole;
          try {
            whole = number.longValueExact();
          } catch (ArithmeticException e) {
            throw wrongType(name, "a whole number in range", scalar);
          }
          reader.accept(whole);
        });
  }

  /** Reads a field with a number that may have a fraction. */
  void decimal(String name, Consumer<BigDecimal> reader) {
    scalar(name, "a number", scalar -> reader.accept(decimal(name, "a number", scalar)));
  }

  private BigDecimal decimal(String name, String wanted, Scalar scalar) {
    if (scalar.type() != ScalarType.INTEGER && scalar.type() != ScalarType.DECIMAL) {
      throw wrongType(name, wanted, scalar);
    }
    if (scalar.text().length() > MAX_NUMBER) {
      throw wrongType(name, wanted + " of at most " + MAX_NUMBER + " characters", scalar);
    }
    try {
      return new BigDecimal(scalar.text());
    } catch (NumberFormatException e) {
      throw wrongType(name, wanted + " in range", scalar);
    }
  }

  private IllegalArgumentException wrongType(String name, String wanted, Scalar scalar) {
    boolean quoted = !scalar.plain() && ScalarType.ofPlain(scalar.text()) != ScalarType.TEXT;
    return new IllegalArgumentException(
        field(name).name()
            + " must be "
            + wanted
            + ", was "
            + (quoted ? "the text '" : "'")
            + scalar.text()
            + (quoted ? "'; remove the quotes" : "'"));
  }

  /** Reads a field with a single value. */
  void scalar(String name, String wanted, Consumer<Scalar> reader) {
    Field field = present.get(name);
    if (field != null && field.value() != null) {
      scalar(name, field, field.value(), field.line(), wanted, reader);
    }
  }

  private void scalar(
      String name, Field field, Node value, int line, String wanted, Consumer<Scalar> reader) {
    if (!(value instanceof Scalar scalar)) {
      reject(
          name,
          line,
          field.name(),
          value.describe(),
          field.name() + " must be " + wanted + ", was '" + value.describe() + "'");
      return;
    }
    try {
      reader.accept(scalar);
    } catch (IllegalArgumentException e) {
      invalid.add(name);
      location.rejected(line, field.name(), scalar.text(), e);
    }
  }

  /** Reads a field with one text or a list of them, which must not be empty. */
  void texts(String name, Consumer<String> reader) {
    textsWithLines(name, (text, itemLine) -> reader.accept(text));
  }

  /** Reads a field with one text or a list of them, each with its line. */
  void textsWithLines(String name, BiConsumer<String, Integer> reader) {
    Field field = present.get(name);
    if (field == null || field.value() == null) {
      return;
    }
    if (!(field.value() instanceof Sequence sequence)) {
      text(name, text -> reader.accept(text, field.line()));
      return;
    }
    if (sequence.items().isEmpty()) {
      reject(name, field.name() + " must not be an empty list; was []; leave it out");
    }
    for (Node item : sequence.items()) {
      Node value = resolve(field.name(), item, item.line());
      if (value == null) {
        invalid.add(name);
      } else if (value instanceof Scalar scalar && scalar.type() == ScalarType.NULL) {
        reject(name, item.line(), field.name(), "null", field.name() + " must not contain null");
      } else {
        scalar(
            name,
            field,
            value,
            item.line(),
            "a text",
            scalar -> reader.accept(scalar.text(), item.line()));
      }
    }
  }

  /** Reads a field with a list. */
  Optional<List<Node>> list(String name, String wanted) {
    Field field = present.get(name);
    if (field == null || field.value() == null) {
      return Optional.empty();
    }
    if (field.value() instanceof Sequence sequence) {
      return Optional.of(sequence.items());
    }
    reject(name, field.name() + " must be " + wanted + ", was '" + field.value().describe() + "'");
    return Optional.empty();
  }

  /** Reads a field with a mapping. */
  Optional<Mapping> mapping(String name, String wanted) {
    Field field = present.get(name);
    if (field == null || field.value() == null) {
      return Optional.empty();
    }
    if (field.value() instanceof Mapping mapping) {
      return Optional.of(mapping);
    }
    reject(name, field.name() + " must be " + wanted + ", was '" + field.value().describe() + "'");
    return Optional.empty();
  }
}
