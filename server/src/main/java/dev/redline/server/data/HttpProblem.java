package dev.redline.server.data;

import dev.redline.core.internal.http.ProblemDetails;
import java.util.Map;

/**
 * Ends a request with a problem document (RFC 9457). Has no stack trace, so it is cheap to throw.
 */
final class HttpProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_DETAIL = 1000;

  private final int status;
  private final String detail;
  private final transient Map<String, String> headers;

  HttpProblem(int status, String detail) {
    this(status, detail, Map.of());
  }

  /** Creates a problem whose response has header fields of its own. */
  HttpProblem(int status, String detail, Map<String, String> headers) {
    super(null, null, false, false);
    this.status = status;
    this.detail = shorten(detail);
    this.headers = headers;
  }

  /** Cuts what a client sent, but no pair of surrogates: a body has room for a value of 1 MiB. */
  private static String shorten(String detail) {
    if (detail.length() <= MAX_DETAIL) {
      return detail;
    }
    int end =
        Character.isHighSurrogate(detail.charAt(MAX_DETAIL - 1)) ? MAX_DETAIL - 1 : MAX_DETAIL;
    return detail.substring(0, end) + "…";
  }

  @Override
  public String getMessage() {
    return detail;
  }

  /** Returns the error for an invalid field. */
  static HttpProblem field(String name, String what) {
    return new HttpProblem(400, name + ": " + what);
  }

  int status() {
    return status;
  }

  Map<String, String> headers() {
    return headers;
  }

  ProblemDetails problem() {
    return ProblemDetails.of(status, detail);
  }
}
