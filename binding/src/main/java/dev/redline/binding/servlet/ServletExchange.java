package dev.redline.binding.servlet;

import dev.redline.binding.web.CurrentRequest;
import dev.redline.binding.web.DenialResponse;
import dev.redline.core.RateLimitResult;
import dev.redline.core.key.RequestContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A servlet request and its response, for annotated methods that are called within it.
 *
 * @param request the request
 * @param response the response; null if it is not known
 * @param requests describes the request
 * @param responses writes decisions to the response
 */
public record ServletExchange(
    HttpServletRequest request,
    @Nullable HttpServletResponse response,
    ServletRequests requests,
    ServletResponses responses)
    implements CurrentRequest {
  @Override
  public RequestContext describe() {
    return requests.describe(request);
  }

  @Override
  public void decided(RateLimitResult result, boolean fallback) {
    if (response != null) {
      responses.addHeaders(request, response, result, !fallback);
    }
  }

  /** Sets the header fields of the response to a denied request, if the response is known. */
  public void denied(DenialResponse denial) {
    if (response != null) {
      responses.http().write(denial, new LimitedServletResponse(request, response));
    }
  }
}
