package dev.redline.server.data;

import dev.redline.core.internal.http.ProblemDetails;

/**
 * Ends a request with a problem document (RFC 9457). Has no stack trace, so it is cheap to throw.
 */
final class HttpProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String detail;

  HttpProblem(int status, String detail) {
    super(detail, null, false, false);
    this.status = status;
    this.detail = detail;
  }

  /** Returns the error for an invalid field. */
  static HttpProblem field(String name, String what) {
    return new HttpProblem(400, name + ": " + what);
  }

  int status() {
    return status;
  }

  ProblemDetails problem() {
    return ProblemDetails.of(status, detail);
  }
}
