package dev.redline.server.data;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.redline.core.key.IpAddress;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code request}, the object of a check that describes the caller's request. */
final class RequestReader {
  private static final int MAX_VALUES = 100;

  /** A body has room for 40,000, which would keep the event loop busy for tens of milliseconds. */
  private static final int MAX_ENTRIES = 1000;

  private static final String FIELDS =
      "path, method, clientIp, userId, apiKey, headers, attributes";

  private RequestReader() {}

  /** Reads the object; returns null for JSON's null. */
  static @Nullable DescribedRequest read(JsonParser json) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw HttpProblem.field(
          "request", "must be an object, was " + JsonFields.kind(json.currentToken()));
    }
    DescribedRequest request = new DescribedRequest();
    int seenBits = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      json.nextToken();
      int fieldBit = readField(json, field, request);
      if ((seenBits & fieldBit) != 0) {
        throw JsonFields.givenTwice("request." + field);
      }
      seenBits |= fieldBit;
    }
    return request;
  }

  /** Reads one field; returns a bit that stands for it, to find fields given twice. */
  private static int readField(JsonParser json, String field, DescribedRequest request)
      throws IOException {
    switch (field) {
      case "path" -> {
        request.context.path(JsonFields.text(json, "request.path"));
        return 1;
      }
      case "method" -> {
        request.context.method(JsonFields.text(json, "request.method"));
        return 1 << 1;
      }
      case "clientIp" -> {
        request.context.clientAddress(address(JsonFields.text(json, "request.clientIp")));
        return 1 << 2;
      }
      case "userId" -> {
        request.userId(JsonFields.text(json, "request.userId"));
        return 1 << 3;
      }
      case "apiKey" -> {
        request.context.apiKey(JsonFields.text(json, "request.apiKey"));
        return 1 << 4;
      }
      case "headers" -> {
        entries(json, "request.headers", request::header, true);
        return 1 << 5;
      }
      case "attributes" -> {
        entries(json, "request.attributes", request.context::attribute, false);
        return 1 << 6;
      }
      default -> throw JsonFields.unknownField("request." + field, FIELDS);
    }
  }

  private static @Nullable IpAddress address(@Nullable String text) {
    if (text == null) {
      return null;
    }
    IpAddress address = IpAddress.tryParse(text);
    if (address == null) {
      throw HttpProblem.field("request.clientIp", "'" + text + "' is not an IP address");
    }
    return address;
  }

  /** Receives the entries of a JSON object of strings. */
  private interface EntrySink {
    void put(String name, @Nullable String value);
  }

  private static void entries(JsonParser json, String field, EntrySink sink, boolean listsAllowed)
      throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NULL) {
      return;
    }
    if (token != JsonToken.START_OBJECT) {
      throw HttpProblem.field(field, "must be an object of strings, was " + JsonFields.kind(token));
    }
    Set<String> names = new HashSet<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      if (!names.add(name)) {
        throw JsonFields.givenTwice(field + "." + name);
      }
      if (names.size() > MAX_ENTRIES) {
        throw HttpProblem.field(field, "must have at most " + MAX_ENTRIES + " entries");
      }
      if (json.nextToken() == JsonToken.START_ARRAY && listsAllowed) {
        List<String> values = JsonFields.texts(json, field + "." + name);
        if (values != null && values.size() > MAX_VALUES) {
          throw HttpProblem.field(
              field + "." + name,
              "must have at most " + MAX_VALUES + " values, had " + values.size());
        }
        if (values != null) {
          values.forEach(value -> sink.put(name, value));
        }
      } else {
        sink.put(name, JsonFields.text(json, field + "." + name));
      }
    }
  }
}
