package dev.redline.binding.servlet;

import dev.redline.binding.web.RequestDetails;
import jakarta.servlet.http.HttpServletRequest;

/**
 * A bean that adds what rules see of a request: attributes such as a tenant, or the client address
 * from a header of a CDN. Called once for each request that a filter or an annotated method limits.
 */
@FunctionalInterface
public interface ServletRequestContextCustomizer {
  /** Changes the details of a request. */
  void customize(RequestDetails details, HttpServletRequest request);
}
