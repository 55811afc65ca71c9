package dev.redline.rules.documents;

import dev.redline.rules.documents.Node.Entry;
import dev.redline.rules.documents.Node.Mapping;
import dev.redline.rules.documents.Node.Scalar;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The fields of a small JSON object that was written by this package. */
final class JsonObjectReader {
  private final Map<String, String> fields = new HashMap<>();

  /**
   * Reads an object of texts and numbers.
   *
   * @throws IOException if it is none
   */
  JsonObjectReader(String json) throws IOException {
    try {
      if (!(NodeParser.parse(json) instanceof Mapping mapping)) {
        throw new IOException("not a JSON object");
      }
      for (Entry entry : mapping.entries()) {
        if (entry.value() instanceof Scalar scalar) {
          fields.put(entry.key().text(), scalar.text());
        }
      }
    } catch (SyntaxException e) {
      throw new IOException("not a JSON object", e);
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  String required(String name) throws IOException {
    String value = fields.get(name);
    if (value == null) {
      throw new IOException("there is no '" + name + "'");
    }
    return value;
  }

  long number(String name) throws IOException {
    String value = required(name);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IOException("'" + name + "' is no number: " + value, e);
    }
  }

  Optional<Long> optionalNumber(String name) throws IOException {
    return fields.containsKey(name) ? Optional.of(number(name)) : Optional.empty();
  }
}
