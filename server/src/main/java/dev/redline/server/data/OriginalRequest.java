package dev.redline.server.data;

import dev.redline.core.internal.path.PathNormalizer;
import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Path and method of the request that a proxy describes in header fields.
 *
 * <p>A proxy sets one of two families of fields, and usually forwards the fields of the other
 * family as the client sent them. So all fields that are present must agree: if they differ, one of
 * them came from the client, and it cannot be known which.
 *
 * @param path the normalised path
 * @param method the method in upper case, if the proxy sends it
 */
record OriginalRequest(String path, @Nullable String method) {
  private static final Family FORWARDED =
      new Family(List.of("X-Forwarded-Uri"), "X-Forwarded-Method");
  private static final Family ORIGINAL =
      new Family(List.of("X-Original-URI", "X-Original-URL"), "X-Original-Method");

  /** The fields of one kind of proxy. */
  private record Family(List<String> uris, String method) {
    @Nullable String path(MultiMap headers) {
      List<String> paths = new ArrayList<>(1);
      for (String name : uris) {
        present(headers, name).forEach(uri -> paths.add(PathNormalizer.normalize(utf8(uri))));
      }
      return only(paths, String.join(" and ", uris));
    }

    @Nullable String method(MultiMap headers) {
      List<String> methods = new ArrayList<>(1);
      for (String value : present(headers, method)) {
        // A repeated field may arrive as one list; no method has a comma.
        for (String one : value.split(",", -1)) {
          methods.add(one.strip().toUpperCase(Locale.ROOT));
        }
      }
      return only(methods, method);
    }
  }

  /**
   * Reads the fields.
   *
   * @throws HttpProblem if there is no URI, or fields contradict each other
   */
  static OriginalRequest of(MultiMap headers) {
    String forwardedPath = FORWARDED.path(headers);
    String originalPath = ORIGINAL.path(headers);
    String forwardedMethod = FORWARDED.method(headers);
    String originalMethod = ORIGINAL.method(headers);
    if (forwardedPath == null && originalPath == null) {
      throw new HttpProblem(
          400,
          "the original URI is missing; send X-Forwarded-Uri, X-Original-URI or"
              + " X-Original-URL");
    }
    boolean onlyForwarded = originalPath == null && originalMethod == null;
    boolean onlyOriginal = forwardedPath == null && forwardedMethod == null;
    if (!onlyForwarded && !onlyOriginal) {
      agree(forwardedPath, originalPath, "URI");
      agree(forwardedMethod, originalMethod, "method");
    }
    return forwardedPath != null
        ? new OriginalRequest(forwardedPath, forwardedMethod)
        : new OriginalRequest(String.valueOf(originalPath), originalMethod);
  }

  private static void agree(@Nullable String forwarded, @Nullable String original, String what) {
    if (forwarded == null ? original != null : !forwarded.equals(original)) {
      throw contradiction("X-Forwarded-* and X-Original-* do not give the same " + what);
    }
  }

  /**
   * Returns the one value of a field.
   *
   * @throws HttpProblem if the field is repeated with different values
   */
  static @Nullable String only(MultiMap headers, String name) {
    return only(present(headers, name), name);
  }

  private static @Nullable String only(List<String> values, String name) {
    if (values.isEmpty()) {
      return null;
    }
    String first = values.get(0);
    for (String value : values) {
      if (!value.equals(first)) {
        throw contradiction(name + " has several different values");
      }
    }
    return first;
  }

  private static HttpProblem contradiction(String what) {
    return new HttpProblem(
        400,
        what
            + ": one of them came from the client; let the proxy set or clear every X-Forwarded-*"
            + " and X-Original-* field (docs/gateways.md)");
  }

  private static List<String> present(MultiMap headers, String name) {
    List<String> values = headers.getAll(name);
    return values.contains("") ? values.stream().filter(v -> !v.isEmpty()).toList() : values;
  }

  /**
   * Decodes a URI as UTF-8, like percent-encoded bytes. Netty decodes header fields as ISO 8859-1,
   * in which a path outside of ASCII would be a different one.
   */
  private static String utf8(String uri) {
    return uri.chars().allMatch(c -> c < 0x80)
        ? uri
        : new String(uri.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
