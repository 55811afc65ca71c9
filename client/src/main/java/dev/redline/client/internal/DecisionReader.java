package dev.redline.client.internal;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.UnknownNameException;
import dev.redline.core.internal.json.JsonParser;
import dev.redline.core.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reads the responses of {@code POST /v1/check/batch}. */
final class DecisionReader {
  private static final double LARGEST_EXACT = 1L << 53;

  private DecisionReader() {}

  /**
   * Returns for each decision a {@link RateLimitResult}, or the exception that its check fails
   * with.
   *
   * @throws IllegalArgumentException if the text is not the response to so many checks
   */
  static Object[] read(String text, int checks) {
    if (!(JsonParser.object(text).get("decisions") instanceof List<?> decisions)) {
      throw new IllegalArgumentException("there is no list of decisions");
    }
    if (decisions.size() != checks) {
      throw new IllegalArgumentException(decisions.size() + " decisions for " + checks + " checks");
    }
    Object[] results = new Object[checks];
    for (int i = 0; i < checks; i++) {
      if (!(decisions.get(i) instanceof Map<?, ?> decision)) {
        throw new IllegalArgumentException("a decision is not an object");
      }
      results[i] =
          decision.get("error") instanceof Map<?, ?> error ? failure(error) : result(decision);
    }
    return results;
  }

  private static RuntimeException failure(Map<?, ?> error) {
    String detail = error.get("detail") instanceof String text ? text : "no detail";
    int status = error.get("status") instanceof Double number ? number.intValue() : 0;
    if (status == 404) {
      return UnknownNameException.elsewhere(detail);
    }
    return status >= 400 && status < 500
        ? new IllegalArgumentException("the Redline server rejected the check: " + detail)
        : new StoreException(
            StoreException.Kind.UNAVAILABLE, "the Redline server failed: " + detail);
  }

  private static RateLimitResult result(Map<?, ?> decision) {
    Reason reason = Reason.valueOf(text(decision, "reason"));
    if (!(decision.get("allowed") instanceof Boolean allowed) || allowed != reason.allowed()) {
      throw new IllegalArgumentException("a decision of reason " + reason + " is contradictory");
    }
    RateLimitResult.Builder result = RateLimitResult.builder(reason);
    if (decision.containsKey("ruleId")) {
      result.rule(text(decision, "ruleSetId"), text(decision, "ruleId"));
    }
    if (decision.containsKey("plan")) {
      result.plan(text(decision, "plan"));
    }
    if (decision.containsKey("band")) {
      result.band(
          text(decision, "band"),
          number(decision, "limit"),
          number(decision, "remaining"),
          Instant.ofEpochMilli(number(decision, "resetAtMs")));
    }
    if (decision.containsKey("retryAfterMs")) {
      result.retryAfter(Duration.ofMillis(number(decision, "retryAfterMs")));
    }
    if (decision.get("shadowDenied") instanceof List<?> shadows) {
      List<String> ids = new ArrayList<>(shadows.size());
      shadows.forEach(id -> ids.add(String.valueOf(id)));
      result.shadowDenied(ids);
    }
    return result.degraded(Boolean.TRUE.equals(decision.get("degraded"))).build();
  }

  private static String text(Map<?, ?> decision, String name) {
    if (decision.get(name) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException("a decision has no " + name);
  }

  private static long number(Map<?, ?> decision, String name) {
    if (decision.get(name) instanceof Double number
        && number >= 0
        && number <= LARGEST_EXACT
        && number == Math.rint(number)) {
      return number.longValue();
    }
    throw new IllegalArgumentException("the " + name + " of a decision is not a whole number");
  }
}
