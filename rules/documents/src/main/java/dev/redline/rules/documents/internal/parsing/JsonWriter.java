package dev.redline.rules.documents.internal.parsing;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers and booleans as JSON. */
public final class JsonWriter {
  private JsonWriter() {}

  public static String of(Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value);
    return json.toString();
  }

  private static void append(StringBuilder json, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.append(separator);
        quote(json, String.valueOf(entry.getKey()));
        json.append(':');
        append(json, entry.getValue());
        separator = ",";
      }
      json.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object item : list) {
        json.append(separator);
        append(json, item);
        separator = ",";
      }
      json.append(list.isEmpty() ? "[]" : "]");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      json.append(value);
    } else {
      quote(json, value.toString());
    }
  }

  private static void quote(StringBuilder json, String text) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> json.append("\\\"");
        case '\\' -> json.append("\\\\");
        case '\n' -> json.append("\\n");
        case '\r' -> json.append("\\r");
        case '\t' -> json.append("\\t");
        default -> {
          // YAML takes fewer characters raw than JSON does; escaped, both take them all.
          if (c < 0x20 || c > 0x7E) {
            json.append(String.format("\\u%04x", (int) c));
          } else {
            json.append(c);
          }
        }
      }
    }
    json.append('"');
  }
}
