package dev.redline.server.data;

import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request; unknown, repeated and unreadable ones are rejected. */
final class QueryParameters {
  private final Map<String, String> values = new HashMap<>();

  /**
   * Reads a query.
   *
   * @param query the part of the URI after the question mark; null if there is none
   * @param known the names of the supported parameters
   * @throws HttpProblem if the query cannot be decoded, or has another or a repeated parameter
   */
  QueryParameters(@Nullable String query, Set<String> known) {
    if (query == null || query.isEmpty()) {
      return;
    }
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      if (!known.contains(name)) {
        throw HttpProblem.field(
            name, "there is no such query parameter; use " + String.join(", ", known));
      }
      if (values.put(name, equals < 0 ? "" : decode(pair.substring(equals + 1))) != null) {
        throw HttpProblem.field(name, "is given twice");
      }
    }
  }

  private static String decode(String text) {
    try {
      // URLDecoder would replace bytes that are not UTF-8.
      byte[] bytes =
          URLDecoder.decode(text, StandardCharsets.ISO_8859_1)
              .getBytes(StandardCharsets.ISO_8859_1);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      throw new HttpProblem(400, "the query is not readable: '" + text + "'");
    }
  }

  /** Returns a parameter, or null if it was not given. */
  @Nullable String get(String name) {
    return values.get(name);
  }
}
