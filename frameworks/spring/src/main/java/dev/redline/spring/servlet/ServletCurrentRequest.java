package dev.redline.spring.servlet;

import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import dev.redline.spring.method.CurrentRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request of the calling thread, as Spring MVC and its filters publish it. */
final class ServletCurrentRequest implements CurrentRequest {
  private final ServletRequestAttributes attributes;
  private final ServletRequests requests;
  private final ServletResponses responses;

  private ServletCurrentRequest(
      ServletRequestAttributes attributes, ServletRequests requests, ServletResponses responses) {
    this.attributes = attributes;
    this.requests = requests;
    this.responses = responses;
  }

  /** Returns the request of the calling thread, or null outside of requests. */
  static @Nullable CurrentRequest find(ServletRequests requests, ServletResponses responses) {
    return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes current
        ? new ServletCurrentRequest(current, requests, responses)
        : null;
  }

  @Override
  public RequestContext describe() {
    return requests.describe(attributes.getRequest());
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    HttpServletResponse response = attributes.getResponse();
    if (response != null) {
      responses.addHeaders(attributes.getRequest(), response, result, !fallback);
    }
  }
}
