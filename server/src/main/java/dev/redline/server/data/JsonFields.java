package dev.redline.server.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads typed values off a JSON parser; a value of another type is refused, naming the field. Each
 * method stands on the value and leaves the parser on its last token. JSON's null counts as absent.
 */
final class JsonFields {
  private static final int DEEPEST = 16;

  private JsonFields() {}

  static @Nullable String text(JsonParser json, String field) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_STRING) {
      return json.getText();
    }
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    throw HttpProblem.field(field, "must be a string, was " + kind(token));
  }

  /** Returns a name: a text that is there or not, but never empty. */
  static @Nullable String name(JsonParser json, String field) throws IOException {
    String name = text(json, field);
    if (name != null && name.isEmpty()) {
      throw HttpProblem.field(field, "must not be empty");
    }
    return name;
  }

  static @Nullable List<String> texts(JsonParser json, String field) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token != JsonToken.START_ARRAY) {
      throw HttpProblem.field(field, "must be a list of strings, was " + kind(token));
    }
    List<String> texts = new ArrayList<>(4);
    while (json.nextToken() != JsonToken.END_ARRAY) {
      String text = text(json, field);
      if (text == null) {
        throw HttpProblem.field(field, "must not contain null");
      }
      texts.add(text);
    }
    return texts;
  }

  static boolean bool(JsonParser json, String field) {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_TRUE) {
      return true;
    }
    if (token == JsonToken.VALUE_FALSE || token == JsonToken.VALUE_NULL) {
      return false;
    }
    throw HttpProblem.field(field, "must be true or false, was " + kind(token));
  }

  /** Returns a whole number of the given range, or {@code unlessGiven}. */
  static long number(JsonParser json, String field, long unlessGiven, long min, long max)
      throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return unlessGiven;
    }
    String allowed = "must be a whole number from " + min + " to " + max + ", was ";
    if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      throw HttpProblem.field(field, allowed + "a fraction");
    }
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw HttpProblem.field(field, allowed + kind(token));
    }
    if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw HttpProblem.field(field, allowed + "far out of it");
    }
    long value = json.getLongValue();
    if (value < min || value > max) {
      throw HttpProblem.field(field, allowed + value);
    }
    return value;
  }

  /** Returns whatever stands there as maps, lists, texts, numbers and booleans. */
  static @Nullable Object any(JsonParser json, String field) throws IOException {
    return any(json, field, 0);
  }

  private static @Nullable Object any(JsonParser json, String field, int depth) throws IOException {
    if (depth > DEEPEST) {
      throw HttpProblem.field(field, "is nested too deeply");
    }
    JsonToken token = json.currentToken();
    switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          if (map.containsKey(name)) {
            throw HttpProblem.field(field + "." + name, "is given twice");
          }
          json.nextToken();
          map.put(name, any(json, field, depth + 1));
        }
        return map;
      }
      case START_ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          list.add(any(json, field, depth + 1));
        }
        return list;
      }
      case VALUE_STRING -> {
        return json.getText();
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        return json.getNumberValue();
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        return json.getBooleanValue();
      }
      default -> {
        return null;
      }
    }
  }

  /** Returns what a token is called in messages. */
  static String kind(@Nullable JsonToken token) {
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "a boolean";
      default -> "null";
    };
  }
}
