package dev.redline.binding.web;

import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import org.jspecify.annotations.Nullable;

/** The request that the calling thread handles. */
public interface CurrentRequest {
  /** Returns what rules see of it. */
  RequestContext describe();

  /**
   * Is notified of a decision, to set header fields of the response.
   *
   * @param fallback whether a fallback makes the response, which then has no {@code Retry-After}
   */
  void decided(RateLimitResult result, boolean fallback);

  /** Finds the request that the calling thread handles. */
  @FunctionalInterface
  interface Finder {
    /** Returns the request, or null outside of requests. */
    @Nullable CurrentRequest find();
  }
}
