package dev.redline.binding.web;

import dev.redline.core.RateLimitResult;

/**
 * A bean that changes the responses to denied requests, in filters and for annotated methods.
 * Several are called in their order. It must not block.
 */
@FunctionalInterface
public interface DenialCustomizer {
  /**
   * Changes a response before it is sent.
   *
   * @param response the response, initially as Redline would send it
   * @param result the denial
   */
  void customize(DenialResponse response, RateLimitResult result);
}
