package dev.redline.binding.web;

import dev.redline.core.RateLimitResult;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A response of a framework, as far as decisions change it: {@link RateLimitHttp} keeps one set of
 * header fields in it. Used by one thread at a time.
 */
public interface LimitedResponse {
  /** Returns whether the header fields have been sent, so that they cannot change. */
  boolean isCommitted();

  /** Returns the result whose header fields the response has; null if it has none. */
  @Nullable Object result();

  /** Keeps the result whose header fields the response has, as {@link RateLimitHttp#RESULT}. */
  void result(RateLimitResult result);

  /** Sets a header field. */
  void set(String name, String value);

  /** Removes header fields; the set compares names ignoring case. */
  void remove(Set<String> names);

  /**
   * Lets scripts of other origins read header fields, if the request is of another origin. Which
   * origins may, the application decides.
   *
   * @param names a value of {@link RateLimitHttp#EXPOSE}, which the response has once
   */
  void expose(String names);
}
