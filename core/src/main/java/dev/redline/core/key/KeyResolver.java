package dev.redline.core.key;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.path.PathPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines the identity that a request is counted by.
 *
 * <p>Implementations are called for each request by many threads at once; they must not block.
 */
@FunctionalInterface
public interface KeyResolver {
  /** Returns the identity, or null if the request has none. */
  @Nullable String resolve(RequestContext request);

  /** Returns the resolver that gives all requests the same identity. */
  static KeyResolver global() {
    return of(KeyField.global());
  }

  /** Returns the resolver by client address. */
  static KeyResolver ip() {
    return of(KeyField.ip());
  }

  /** Returns the resolver by user id. */
  static KeyResolver userId() {
    return of(KeyField.userId());
  }

  /** Returns the resolver by the name of the authenticated principal, which is the user id. */
  static KeyResolver principal() {
    return userId();
  }

  /** Returns the resolver by API key; the identity is a digest. */
  static KeyResolver apiKey() {
    return of(KeyField.apiKey());
  }

  /** Returns the resolver by a request header. */
  static KeyResolver header(String name) {
    return of(KeyField.header(name));
  }

  /** Returns the resolver by a request attribute. */
  static KeyResolver attribute(String name) {
    return of(KeyField.attribute(name));
  }

  /**
   * Returns the resolver by a variable of a path pattern, such as {@code id} of {@code /u/{id}}.
   */
  static KeyResolver pathVariable(String pattern, String name) {
    PathPattern compiled = PathPattern.parse(pattern);
    return request -> compiled.variable(request.normalizedPath(), name);
  }

  /**
   * Returns the resolver by several fields together; no two combinations of values give the same
   * identity, even if values contain separators.
   */
  static KeyResolver of(KeyField... fields) {
    IdentityScheme scheme =
        new IdentityScheme(List.of(fields), List.of(), IdentitySettings.DEFAULT);
    return request -> scheme.identity(request, false);
  }
}
