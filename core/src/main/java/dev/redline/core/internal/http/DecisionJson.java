package dev.redline.core.internal.http;

import dev.redline.core.RateLimitResult;
import org.jspecify.annotations.Nullable;

/**
 * Writes a decision as the JSON object that the service answers with. What does not apply is
 * absent. Builds no intermediate tree: this runs once per decision.
 */
public final class DecisionJson {
  private DecisionJson() {}

  /** Appends the decision. */
  public static StringBuilder write(StringBuilder out, RateLimitResult result) {
    out.append(result.allowed() ? "{\"allowed\":true" : "{\"allowed\":false");
    out.append(",\"reason\":\"").append(result.reason().name()).append('"');
    text(out, ",\"ruleSetId\":", result.ruleSetIdOrNull());
    text(out, ",\"ruleId\":", result.ruleIdOrNull());
    text(out, ",\"plan\":", result.planOrNull());
    text(out, ",\"band\":", result.bandOrNull());
    number(out, ",\"limit\":", result.limitOrAbsent());
    number(out, ",\"remaining\":", result.remainingOrAbsent());
    number(out, ",\"retryAfterMs\":", result.retryAfterMsOrAbsent());
    number(out, ",\"resetAtMs\":", result.resetAtMsOrAbsent());
    if (!result.shadowDenied().isEmpty()) {
      JsonText.array(out.append(",\"shadowDenied\":"), result.shadowDenied());
    }
    return out.append(result.degraded() ? ",\"degraded\":true}" : "}");
  }

  private static void text(StringBuilder out, String name, @Nullable String value) {
    if (value != null) {
      JsonText.quote(out.append(name), value);
    }
  }

  private static void number(StringBuilder out, String name, long value) {
    if (value != RateLimitResult.ABSENT) {
      out.append(name).append(value);
    }
  }
}
