package dev.redline.server.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads typed values from a streaming JSON parser; a value of another type is rejected with an
 * error that names the field. Each method expects the parser on the first token of the value and
 * leaves it on the last one. JSON's null counts as absent.
 */
final class JsonFields {
  private static final int MAX_DEPTH = 16;

  /** The most characters of a {@code long}: parsing a number costs the square of its length. */
  private static final int MAX_LONG_CHARACTERS = 20;

  private static final int MAX_NUMBER_CHARACTERS = 100;

  private JsonFields() {}

  /** Moves the parser to the start of the body's object. */
  static void startBody(JsonParser json) throws IOException {
    JsonToken first = json.nextToken();
    if (first == null) {
      throw new HttpProblem(400, "the body is empty; send a JSON object");
    }
    if (first != JsonToken.START_OBJECT) {
      throw new HttpProblem(400, "the body must be a JSON object, was " + kind(first));
    }
  }

  /** Checks that nothing follows the body's object. */
  static void endBody(JsonParser json) throws IOException {
    if (json.nextToken() != null) {
      throw new HttpProblem(400, "there is something after the JSON object");
    }
  }

  /**
   * Returns the error for invalid JSON: with its position, without its text, which may be secret.
   */
  static HttpProblem malformed(@Nullable IOException e) {
    String where =
        e instanceof JsonProcessingException broken && broken.getLocation() != null
            ? " (line "
                + broken.getLocation().getLineNr()
                + ", column "
                + broken.getLocation().getColumnNr()
                + ")"
            : "";
    return new HttpProblem(400, "the body is not valid JSON" + where);
  }

  static HttpProblem unknownField(String field, String known) {
    return HttpProblem.field(field, "there is no such field; use " + known);
  }

  static HttpProblem givenTwice(String field) {
    return HttpProblem.field(field, "is given twice");
  }

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

  /** Returns a text that must not be empty, or null if it is absent. */
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

  /** Returns a whole number of the given range, or {@code absent} for null. */
  static long number(JsonParser json, String field, long absent, long min, long max)
      throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return absent;
    }
    String allowed = "must be a whole number from " + min + " to " + max + ", was ";
    if (token == JsonToken.VALUE_NUMBER_FLOAT) {
      throw HttpProblem.field(field, allowed + "a fraction");
    }
    if (token != JsonToken.VALUE_NUMBER_INT) {
      throw HttpProblem.field(field, allowed + kind(token));
    }
    if (json.getTextLength() > MAX_LONG_CHARACTERS
        || json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw HttpProblem.field(field, allowed + "far out of it");
    }
    long value = json.getLongValue();
    if (value < min || value > max) {
      throw HttpProblem.field(field, allowed + value);
    }
    return value;
  }

  /** Returns a value of any type as maps, lists, texts, numbers and booleans. */
  static @Nullable Object any(JsonParser json, String field) throws IOException {
    return any(json, field, 0);
  }

  private static @Nullable Object any(JsonParser json, String field, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw HttpProblem.field(field, "is nested too deeply");
    }
    JsonToken token = json.currentToken();
    switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          if (map.containsKey(name)) {
            throw givenTwice(field + "." + name);
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
        if (json.getTextLength() > MAX_NUMBER_CHARACTERS) {
          throw HttpProblem.field(
              field, "has a number of more than " + MAX_NUMBER_CHARACTERS + " characters");
        }
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

  /** Returns the name of a token for error messages. */
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
