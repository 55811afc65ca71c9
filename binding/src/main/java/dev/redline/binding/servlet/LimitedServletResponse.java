package dev.redline.binding.servlet;

import dev.redline.binding.web.LimitedResponse;
import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The header fields of a servlet response. */
record LimitedServletResponse(HttpServletRequest request, HttpServletResponse response)
    implements LimitedResponse {
  @Override
  public boolean isCommitted() {
    return response.isCommitted();
  }

  @Override
  public @Nullable Object result() {
    return request.getAttribute(RateLimitHttp.RESULT);
  }

  @Override
  public void result(RateLimitResult result) {
    request.setAttribute(RateLimitHttp.RESULT, result);
  }

  @Override
  public void set(String name, String value) {
    response.setHeader(name, value);
  }

  /**
   * Removes header fields. In containers before Servlet 6.1, which cannot, they stay if a part of
   * the body has been written.
   */
  @Override
  public void remove(Set<String> names) {
    if (nullRemoves(request.getServletContext())) {
      names.forEach(name -> response.setHeader(name, null));
    }
    if (names.stream().anyMatch(response::containsHeader) && hasNoBody()) {
      resetWithout(names);
    }
  }

  /** Returns whether a value of null removes a header field: since Servlet 6.1. */
  private static boolean nullRemoves(ServletContext context) {
    int major = context.getMajorVersion();
    return major > 6 || (major == 6 && context.getMinorVersion() >= 1);
  }

  /** Returns whether nothing has been written: else the size of the buffer must not be set. */
  private boolean hasNoBody() {
    try {
      response.setBufferSize(response.getBufferSize());
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Resets the response, and sets everything again but these header fields. */
  private void resetWithout(Set<String> names) {
    Map<String, List<String>> others = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : response.getHeaderNames()) {
      if (!names.contains(name) && !name.equalsIgnoreCase("Content-Type")) {
        others.put(name, List.copyOf(response.getHeaders(name)));
      }
    }
    int status = response.getStatus();
    Locale locale = response.getLocale();
    String encoding = response.getCharacterEncoding();
    String type = response.getContentType();
    response.reset();
    response.setStatus(status);
    // Not set unless they differ from the default, which is not sent.
    if (!Objects.equals(locale, response.getLocale())) {
      response.setLocale(locale);
    }
    if (!Objects.equals(encoding, response.getCharacterEncoding())) {
      response.setCharacterEncoding(encoding);
    }
    if (type != null) {
      response.setContentType(type);
    }
    others.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
  }

  @Override
  public void expose(String names) {
    if (request.getHeader("Origin") != null
        && !response.getHeaders(RateLimitHttp.EXPOSE).contains(names)) {
      response.addHeader(RateLimitHttp.EXPOSE, names);
    }
  }
}
