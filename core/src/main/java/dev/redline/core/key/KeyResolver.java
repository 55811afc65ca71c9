package dev.redline.core.key;

import dev.redline.core.internal.key.IdentityScheme;
import dev.redline.core.internal.path.PathPattern;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells who is asking: from a request to an identity.
 *
 * <p>Implementations are called on the request path by many threads at once: no I/O, no locks.
 */
@FunctionalInterface
public interface KeyResolver {
  /** Returns the caller's identity, or null if the request does not tell it. */
  @Nullable String resolve(RequestContext request);

  /** Returns the resolver under which everybody is the same caller. */
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
   * identity, whatever the values contain.
   */
  static KeyResolver of(KeyField... fields) {
    IdentityScheme scheme =
        new IdentityScheme(List.of(fields), List.of(), IdentitySettings.DEFAULT);
    return request -> scheme.identity(request, false);
  }
}
