package dev.redline.binding.servlet;

import dev.redline.binding.web.DenialResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
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
    if (response.isCommitted()
        || !RateLimitHttp.replaces(result, request.getAttribute(RateLimitHttp.RESULT))) {
      return;
    }
    request.setAttribute(RateLimitHttp.RESULT, result);
    http.forEachHeader(result, retry, response::setHeader);
    expose(request, response);
  }

  /** Sends the response to a denied request; does nothing if a response is under way already. */
  public void deny(HttpServletRequest request, HttpServletResponse response, RateLimitResult result)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    DenialResponse denial = http.denial(result);
    response.resetBuffer();
    request.setAttribute(RateLimitHttp.RESULT, result);
    response.setStatus(denial.status());
    denial.headers().forEach(response::setHeader);
    expose(request, response);
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

  /** Returns the stream, or null if the controller has called {@code getWriter} before. */
  private static @Nullable OutputStream streamOrNull(HttpServletResponse response)
      throws IOException {
    try {
      return response.getOutputStream();
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Lets scripts of other origins read the fields; the application decides which origins. */
  private void expose(HttpServletRequest request, HttpServletResponse response) {
    String exposed = http.exposedHeaders();
    if (request.getHeader("Origin") != null
        && !response.getHeaders(RateLimitHttp.EXPOSE).contains(exposed)) {
      response.addHeader(RateLimitHttp.EXPOSE, exposed);
    }
  }
}
