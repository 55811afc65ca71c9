package dev.redline.core.internal.http;

import dev.redline.core.RateLimitResult;
import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.Reason;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * What a decision means in HTTP: status, header fields, and the body of a denial. The same in every
 * adapter. Immutable.
 */
public final class HttpDecision {
  private static final String PROBLEM_TYPES = "https://iana.org/assignments/http-problem-types";
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final RateLimitResult result;
  private final HttpSettings settings;
  private final int status;

  private HttpDecision(RateLimitResult result, HttpSettings settings, int status) {
    this.result = result;
    this.settings = settings;
    this.status = status;
  }

  /** Returns what the result means under the settings. */
  public static HttpDecision of(RateLimitResult result, HttpSettings settings) {
    return new HttpDecision(result, settings, status(result.reason(), settings));
  }

  /** Returns the status that goes with a reason; 200 stands for "pass" where a filter decides. */
  public static int status(Reason reason, HttpSettings settings) {
    return switch (reason) {
      case ALLOWED, NO_MATCHING_RULE, DISABLED, FAIL_OPEN, LOCAL_FALLBACK -> 200;
      case LIMIT_EXCEEDED, WAIT_TIMEOUT, COST_EXCEEDS_CAPACITY -> 429;
      case FAIL_CLOSED -> settings.failClosedStatus();
      case BLOCKED, MISSING_IDENTITY -> 403;
      case MISSING_RULE_SET -> 503;
    };
  }

  /**
   * Returns this decision with another status if it denies, for proxies that know few statuses.
   *
   * @throws IllegalArgumentException if the status is not 400 to 599
   */
  public HttpDecision withDenyStatus(int denyStatus) {
    if (denyStatus < 400 || denyStatus > 599) {
      throw new IllegalArgumentException("denyStatus must be 400 to 599, was " + denyStatus);
    }
    return allowed() ? this : new HttpDecision(result, settings, denyStatus);
  }

  /** Returns whether the request is allowed. */
  public boolean allowed() {
    return result.allowed();
  }

  /** Returns the result. */
  public RateLimitResult result() {
    return result;
  }

  /** Returns the status. */
  public int status() {
    return status;
  }

  /** Returns the value of {@code Retry-After}, if there is one: whole seconds, at least 1. */
  public OptionalLong retryAfterSeconds() {
    long seconds = retryAfterSecondsOrAbsent();
    return seconds == RateLimitResult.ABSENT ? OptionalLong.empty() : OptionalLong.of(seconds);
  }

  private long retryAfterSecondsOrAbsent() {
    return switch (result.reason()) {
      case LIMIT_EXCEEDED, WAIT_TIMEOUT ->
          Math.max(1, seconds(Math.max(0, result.retryAfterMicrosOrAbsent())));
      case FAIL_CLOSED, MISSING_RULE_SET -> 1;
      default -> RateLimitResult.ABSENT;
    };
  }

  /** Returns the header fields in order; a new map each time. */
  public Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    forEachHeader(headers::put);
    return headers;
  }

  /** Passes each header field to a consumer, in order: {@link #headers} without a map. */
  public void forEachHeader(BiConsumer<String, String> field) {
    if (isUnlimited(result.reason())) {
      return;
    }
    if (settings.legacyHeaders() && result.limitOrAbsent() != RateLimitResult.ABSENT) {
      field.accept("X-RateLimit-Limit", Long.toString(result.limitOrAbsent()));
      field.accept("X-RateLimit-Remaining", Long.toString(result.remainingOrAbsent()));
      field.accept("X-RateLimit-Reset", Long.toString(seconds(result.resetAtMicrosOrAbsent())));
    }
    long wait = retryAfterSecondsOrAbsent();
    if (wait != RateLimitResult.ABSENT) {
      String text = Long.toString(wait);
      field.accept("Retry-After", text);
      if (settings.legacyHeaders()) {
        field.accept("X-RateLimit-Retry-After", text);
      }
    }
    if (settings.ietfHeaders()) {
      IetfFields.forEach(result, field);
    }
  }

  private static boolean isUnlimited(Reason reason) {
    return reason == Reason.NO_MATCHING_RULE
        || reason == Reason.DISABLED
        || reason == Reason.FAIL_OPEN;
  }

  /** Converts microseconds to seconds, rounded up. */
  private static long seconds(long micros) {
    return -Math.floorDiv(-micros, MICROS_PER_SECOND);
  }

  /**
   * Returns the body of a denial.
   *
   * @throws IllegalStateException if the request is allowed
   */
  public ProblemDetails problem() {
    return switch (result.reason()) {
      case LIMIT_EXCEEDED, WAIT_TIMEOUT, COST_EXCEEDS_CAPACITY ->
          problem(
              PROBLEM_TYPES + "#quota-exceeded",
              "Request cannot be satisfied as assigned quota has been exceeded");
      case FAIL_CLOSED ->
          problem(
              PROBLEM_TYPES + "#temporary-reduced-capacity",
              "Request cannot be satisfied due to temporary server capacity constraints");
      case BLOCKED, MISSING_IDENTITY, MISSING_RULE_SET ->
          problem(ProblemDetails.BLANK, ProblemDetails.of(status, "").title());
      default -> throw new IllegalStateException("the request was not denied: " + result);
    };
  }

  /** Returns {@link #problem} as {@value ProblemDetails#MEDIA_TYPE}. */
  public String problemJson() {
    return problem().toJson();
  }

  private ProblemDetails problem(String type, String title) {
    return new ProblemDetails(
        type,
        title,
        status,
        detail(),
        violated(),
        result.ruleId(),
        result.plan(),
        result.retryAfterMs());
  }

  private List<String> violated() {
    List<String> labels =
        result.bands().stream()
            .filter(band -> !band.passed())
            .map(BandStatus::label)
            .distinct()
            .toList();
    return labels.isEmpty() ? result.band().stream().toList() : labels;
  }

  private String detail() {
    return switch (result.reason()) {
      case LIMIT_EXCEEDED -> "The limit" + limit() + " is exceeded" + retry() + ".";
      case WAIT_TIMEOUT ->
          "The limit" + limit() + " is exceeded, and waiting for it took too long" + retry() + ".";
      case COST_EXCEEDS_CAPACITY ->
          "The request costs more than the limit" + limit() + " ever holds; waiting does not help.";
      case FAIL_CLOSED -> "The limits cannot be checked at the moment; please retry.";
      case BLOCKED -> "A rule denies such requests.";
      case MISSING_IDENTITY ->
          "The request has no identity, so it is not known whose limits apply.";
      default -> "There are no rules to decide by.";
    };
  }

  private String limit() {
    if (result.limitOrAbsent() == RateLimitResult.ABSENT) {
      return "";
    }
    return " '" + result.bandOrNull() + "' of " + result.limitOrAbsent();
  }

  private String retry() {
    long wait = result.retryAfterMsOrAbsent();
    return wait == RateLimitResult.ABSENT ? "" : "; retry in " + wait + " ms";
  }
}
