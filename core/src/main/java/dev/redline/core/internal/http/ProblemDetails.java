package dev.redline.core.internal.http;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A problem document (RFC 9457): the body of a denial or an error.
 *
 * @param type a URI that names the kind of problem
 * @param title the kind of problem for people
 * @param status the HTTP status it goes with
 * @param detail what happened this time
 * @param violatedPolicies the labels of the bands that denied; empty if none did
 * @param ruleId the rule that denied
 * @param plan the plan that denied, if plans were checked instead of rules
 * @param retryAfterMs how many milliseconds to wait, where waiting helps
 */
public record ProblemDetails(
    String type,
    String title,
    int status,
    String detail,
    List<String> violatedPolicies,
    Optional<String> ruleId,
    Optional<String> plan,
    OptionalLong retryAfterMs) {
  /** The media type of {@link #toJson}. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** The type of a problem that its status says all about. */
  public static final String BLANK = "about:blank";

  /** Copies the list. */
  public ProblemDetails {
    violatedPolicies = List.copyOf(violatedPolicies);
  }

  /** Returns a problem of no particular kind: its title is the status in words. */
  public static ProblemDetails of(int status, String detail) {
    return new ProblemDetails(
        BLANK,
        phrase(status),
        status,
        detail,
        List.of(),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty());
  }

  /** Returns the document; absent members are absent. */
  public String toJson() {
    StringBuilder out = new StringBuilder(256).append('{');
    JsonText.quote(JsonText.name(out, "type"), type);
    JsonText.quote(JsonText.name(out, "title"), title);
    JsonText.name(out, "status").append(status);
    JsonText.quote(JsonText.name(out, "detail"), detail);
    if (!violatedPolicies.isEmpty()) {
      JsonText.array(JsonText.name(out, "violated-policies"), violatedPolicies);
    }
    ruleId.ifPresent(id -> JsonText.quote(JsonText.name(out, "ruleId"), id));
    plan.ifPresent(id -> JsonText.quote(JsonText.name(out, "plan"), id));
    retryAfterMs.ifPresent(wait -> JsonText.name(out, "retryAfterMs").append(wait));
    return out.append('}').toString();
  }

  private static String phrase(int status) {
    return switch (status) {
      case 400 -> "Bad Request";
      case 401 -> "Unauthorized";
      case 403 -> "Forbidden";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 406 -> "Not Acceptable";
      case 408 -> "Request Timeout";
      case 409 -> "Conflict";
      case 412 -> "Precondition Failed";
      case 413 -> "Content Too Large";
      case 414 -> "URI Too Long";
      case 415 -> "Unsupported Media Type";
      case 422 -> "Unprocessable Content";
      case 428 -> "Precondition Required";
      case 429 -> "Too Many Requests";
      case 431 -> "Request Header Fields Too Large";
      case 500 -> "Internal Server Error";
      case 502 -> "Bad Gateway";
      case 503 -> "Service Unavailable";
      default -> status < 500 ? "Request Rejected" : "Server Error";
    };
  }
}
