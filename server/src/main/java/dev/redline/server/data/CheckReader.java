package dev.redline.server.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import dev.redline.core.key.IpAddress;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the bodies of the service straight from their bytes, without a tree.
 *
 * <p>Strict: an unknown field, a field given twice, a wrong type and anything after the end are
 * refused, naming the field. Thread-safe.
 */
final class CheckReader {
  private static final int MOST_CHECKS = 1000;
  private static final String CHECK_FIELDS =
      "ruleSetId, request, ruleId, identity, plans, key, cost, dryRun";
  private static final int MOST_VALUES = 100;
  private static final String REQUEST_FIELDS =
      "path, method, clientIp, userId, apiKey, headers, attributes";

  /** Names are kept per parser and not interned: most are ours, the others are the caller's. */
  private static final JsonFactory JSON =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private final @Nullable InlineLimitReader inlineLimits;

  /** Creates a reader; {@code inlineLimits} is null where limits are not taken from requests. */
  CheckReader(@Nullable InlineLimitReader inlineLimits) {
    this.inlineLimits = inlineLimits;
  }

  /** One item of a batch: a check, or what is wrong with it. */
  sealed interface Item {}

  /** An item that can be asked. */
  record Good(Check check) implements Item {}

  /** An item that cannot. */
  record Bad(HttpProblem problem) implements Item {}

  /** Reads the body of a check. */
  Check check(byte[] body) {
    try (JsonParser json = JSON.createParser(body)) {
      begin(json);
      Check check = check(json);
      end(json);
      return check;
    } catch (IOException e) {
      throw malformed(e);
    }
  }

  /** Reads the body of a batch. */
  List<Item> batch(byte[] body) {
    try (JsonParser json = JSON.createParser(body)) {
      begin(json);
      List<Item> items = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String field = json.currentName();
        if (!field.equals("checks")) {
          throw unknown(field, "checks");
        }
        if (items != null) {
          throw twice(field);
        }
        json.nextToken();
        items = items(json);
      }
      end(json);
      if (items == null || items.isEmpty()) {
        throw HttpProblem.field("checks", "must have 1 to " + MOST_CHECKS + " items, has none");
      }
      return items;
    } catch (IOException e) {
      throw malformed(e);
    }
  }

  private List<Item> items(JsonParser json) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw HttpProblem.field(
          "checks", "must be a list, was " + JsonFields.kind(json.currentToken()));
    }
    JsonStreamContext list = json.getParsingContext();
    List<Item> items = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (items.size() == MOST_CHECKS) {
        throw HttpProblem.field("checks", "must have 1 to " + MOST_CHECKS + " items, has more");
      }
      items.add(item(json, list));
    }
    return items;
  }

  private Item item(JsonParser json, JsonStreamContext list) throws IOException {
    try {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw new HttpProblem(
            400, "a check must be an object, was " + JsonFields.kind(json.currentToken()));
      }
      return new Good(check(json));
    } catch (HttpProblem problem) {
      while (json.getParsingContext() != list) {
        json.nextToken();
        if (json.currentToken() == null) {
          throw malformed(null);
        }
      }
      return new Bad(problem);
    }
  }

  private static void begin(JsonParser json) throws IOException {
    JsonToken first = json.nextToken();
    if (first == null) {
      throw new HttpProblem(400, "the body is empty; send a JSON object");
    }
    if (first != JsonToken.START_OBJECT) {
      throw new HttpProblem(400, "the body must be a JSON object, was " + JsonFields.kind(first));
    }
  }

  private static void end(JsonParser json) throws IOException {
    if (json.nextToken() != null) {
      throw new HttpProblem(400, "there is something after the JSON object");
    }
  }

  /** Says where the JSON breaks off, not what stands there: it may be a secret. */
  private static HttpProblem malformed(@Nullable IOException e) {
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

  private static HttpProblem unknown(String field, String known) {
    return HttpProblem.field(field, "there is no such field; use " + known);
  }

  private static HttpProblem twice(String field) {
    return HttpProblem.field(field, "is given twice");
  }

  /** Reads a check from the start of its object to the end. */
  private Check check(JsonParser json) throws IOException {
    CheckDraft draft = new CheckDraft();
    int seen = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      json.nextToken();
      int bit = read(json, field, draft);
      if ((seen & bit) != 0) {
        throw twice(field);
      }
      seen |= bit;
    }
    return draft.finish(inlineLimits);
  }

  /** Reads one field of a check; returns a bit that is its own. */
  private int read(JsonParser json, String field, CheckDraft draft) throws IOException {
    switch (field) {
      case "request" -> {
        draft.request = request(json);
        return 1;
      }
      case "ruleSetId" -> {
        draft.ruleSetId = JsonFields.name(json, field);
        return 1 << 1;
      }
      case "ruleId" -> {
        draft.ruleId = JsonFields.name(json, field);
        return 1 << 2;
      }
      case "identity" -> {
        String only =
            json.currentToken() == JsonToken.START_ARRAY ? null : JsonFields.text(json, field);
        draft.identity = only != null ? List.of(only) : JsonFields.texts(json, field);
        return 1 << 3;
      }
      case "plans" -> {
        draft.plans = JsonFields.texts(json, field);
        return 1 << 4;
      }
      case "key" -> {
        draft.key = JsonFields.name(json, field);
        return 1 << 5;
      }
      case "cost" -> {
        draft.cost = JsonFields.number(json, field, 1, 1, RateLimitBand.MAX_TOKENS);
        return 1 << 6;
      }
      case "dryRun" -> {
        draft.dryRun = JsonFields.bool(json, field);
        return 1 << 7;
      }
      case "limit" -> {
        draft.limit = JsonFields.any(json, field);
        return 1 << 8;
      }
      case "bands" -> {
        draft.bands = JsonFields.any(json, field);
        return 1 << 9;
      }
      default -> throw unknown(field, CHECK_FIELDS);
    }
  }

  private static RequestContext.@Nullable Builder request(JsonParser json) throws IOException {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw HttpProblem.field(
          "request", "must be an object, was " + JsonFields.kind(json.currentToken()));
    }
    RequestContext.Builder request = RequestContext.builder();
    int seen = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      json.nextToken();
      int bit = readRequest(json, field, request);
      if ((seen & bit) != 0) {
        throw twice("request." + field);
      }
      seen |= bit;
    }
    return request;
  }

  private static int readRequest(JsonParser json, String field, RequestContext.Builder request)
      throws IOException {
    switch (field) {
      case "path" -> {
        request.path(JsonFields.text(json, "request.path"));
        return 1;
      }
      case "method" -> {
        request.method(JsonFields.text(json, "request.method"));
        return 1 << 1;
      }
      case "clientIp" -> {
        request.clientAddress(address(JsonFields.text(json, "request.clientIp")));
        return 1 << 2;
      }
      case "userId" -> {
        request.userId(JsonFields.text(json, "request.userId"));
        return 1 << 3;
      }
      case "apiKey" -> {
        request.apiKey(JsonFields.text(json, "request.apiKey"));
        return 1 << 4;
      }
      case "headers" -> {
        entries(json, "request.headers", request::header, true);
        return 1 << 5;
      }
      case "attributes" -> {
        entries(json, "request.attributes", request::attribute, false);
        return 1 << 6;
      }
      default -> throw unknown("request." + field, REQUEST_FIELDS);
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

  /** Takes the entries of a map of texts. */
  private interface Entries {
    void put(String name, @Nullable String value);
  }

  private static void entries(
      JsonParser json, String field, Entries entries, boolean mayHaveSeveral) throws IOException {
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
        throw twice(field + "." + name);
      }
      if (json.nextToken() == JsonToken.START_ARRAY && mayHaveSeveral) {
        List<String> values = JsonFields.texts(json, field + "." + name);
        if (values != null && values.size() > MOST_VALUES) {
          throw HttpProblem.field(
              field + "." + name,
              "must have at most " + MOST_VALUES + " values, had " + values.size());
        }
        if (values != null) {
          values.forEach(value -> entries.put(name, value));
        }
      } else {
        entries.put(name, JsonFields.text(json, field + "." + name));
      }
    }
  }
}
