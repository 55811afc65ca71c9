package dev.redline.rules.documents.internal.parsing;

import dev.redline.rules.documents.internal.parsing.Node.Entry;
import dev.redline.rules.documents.internal.parsing.Node.Mapping;
import dev.redline.rules.documents.internal.parsing.Node.Scalar;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The fields of a small JSON object that was written by this package. */
public final class JsonObjectReader {
  private final Map<String, String> fields = new HashMap<>();

  /**
   * Reads an object of texts and numbers.
   *
   * @throws IOException if it is none
   */
  public JsonObjectReader(String json) throws IOException {
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

  public Optional<String> text(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  public String required(String name) throws IOException {
    String value = fields.get(name);
    if (value == null) {
      throw new IOException("there is no '" + name + "'");
    }
    return value;
  }

  public long number(String name) throws IOException {
    String value = required(name);
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new IOException("'" + name + "' is no number: " + value, e);
    }
  }

  public Optional<Long> optionalNumber(String name) throws IOException {
    return fields.containsKey(name) ? Optional.of(number(name)) : Optional.empty();
  }
}
