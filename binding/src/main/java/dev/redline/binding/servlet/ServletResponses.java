package dev.redline.binding.servlet;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.ProblemDetails;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes decisions to servlet responses. Thread-safe.
 *
 * @param http how decisions look in HTTP
 */
public record ServletResponses(RateLimitHttp http) {
  /** Sets the headers of a result, unless the response has those of a more important one. */
  public void addHeaders(
      HttpServletRequest request, HttpServletResponse response, RateLimitResult result) {
    addHeaders(request, response, result, true);
  }

  /** Sets the headers of a result, with or without those that say when to retry. */
  public void addHeaders(
      HttpServletRequest request,
      HttpServletResponse response,
      RateLimitResult result,
      boolean retry) {
    http.write(result, retry, new LimitedServletResponse(request, response));
  }

  /** Sends the response to a denied request; does nothing if a response is under way already. */
  public void deny(HttpServletRequest request, HttpServletResponse response, RateLimitResult result)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    DenialResponse denial = http.denial(result);
    response.resetBuffer();
    http.write(denial, new LimitedServletResponse(request, response));
    response.setStatus(denial.status());
    byte[] body = denial.body().getBytes(StandardCharsets.UTF_8);
    if (body.length > 0) {
      response.setContentType(denial.contentType());
    }
    OutputStream stream = streamOrNull(response);
    if (stream == null) {
      response.getWriter().write(denial.body());
    } else {
      response.setContentLength(body.length);
      stream.write(body);
    }
    response.flushBuffer();
  }

  /** Sends the response to a request that cannot be decided, unless one is under way already. */
  void reject(HttpServletResponse response, OversizedRequestException problem) throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    response.setStatus(OversizedRequestException.STATUS);
    response.setContentType(ProblemDetails.MEDIA_TYPE);
    response
        .getOutputStream()
        .write(
            ProblemDetails.of(
                    OversizedRequestException.STATUS, String.valueOf(problem.getMessage()))
                .toJson()
                .getBytes(StandardCharsets.UTF_8));
    response.flushBuffer();
  }

  /** Returns the stream, or null if the controller has called {@code getWriter} before. */
  private static @Nullable OutputStream streamOrNull(HttpServletResponse response)
      throws IOException {
    try {
      return response.getOutputStream();
    } catch (IllegalStateException e) {
      return null;
    }
  }
}
