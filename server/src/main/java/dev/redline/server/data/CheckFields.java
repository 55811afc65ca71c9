package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.internal.token.UserTokens;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one check as they were sent, and the rules on which of them go together. {@link
 * CheckReader} fills them in.
 */
final class CheckFields implements CheckReader.BatchItem {
  @Nullable String ruleSetId;
  @Nullable List<String> exceptRuleSets;
  @Nullable DescribedRequest request;
  @Nullable String ruleId;
  @Nullable List<String> identity;
  @Nullable Object limit;
  @Nullable Object bands;
  @Nullable List<String> plans;
  @Nullable String key;
  long cost = 1;
  boolean dryRun;

  private final @Nullable InlineLimitReader inlineLimits;
  private final UserTokens tokens;

  /** Creates empty fields; {@code inlineLimits} is null if a check may not carry limits. */
  CheckFields(@Nullable InlineLimitReader inlineLimits, UserTokens tokens) {
    this.inlineLimits = inlineLimits;
    this.tokens = tokens;
  }

  /**
   * Returns the check.
   *
   * @throws HttpProblem if the fields do not make up exactly one of the three forms
   */
  PreparedCheck toCheck() {
    boolean byRequest = request != null;
    boolean byRule = ruleId != null || identity != null || limit != null || bands != null;
    boolean byPlans = plans != null || key != null;
    int forms = (byRequest ? 1 : 0) + (byRule ? 1 : 0) + (byPlans ? 1 : 0);
    if (forms != 1) {
      throw new HttpProblem(
          400,
          (forms == 0 ? "none" : "more than one")
              + " of the three forms is given: use request (with ruleSetId or without), or ruleId"
              + " and identity, or plans and key");
    }
    if (ruleSetId != null && !byRequest) {
      throw HttpProblem.field("ruleSetId", "goes only with request");
    }
    if (exceptRuleSets != null && !byRequest) {
      throw HttpProblem.field("exceptRuleSets", "goes only with request");
    }
    if (request != null) {
      boolean identified = request.identify(tokens);
      RequestContext context = request.context.cost(cost).build();
      LimitCheck check =
          new LimitCheck.OfRequest(
              Optional.ofNullable(ruleSetId),
              context,
              exceptRuleSets == null ? Set.of() : new HashSet<>(exceptRuleSets));
      return new PreparedCheck(check, dryRun, !identified);
    }
    return new PreparedCheck(byRule ? ofRule() : ofPlans(), dryRun, false);
  }

  private LimitCheck ofRule() {
    if (ruleId == null) {
      throw HttpProblem.field("ruleId", "is missing; identity, limit and bands go with a rule");
    }
    Optional<List<RateLimitBand>> limits = Optional.empty();
    if (limit != null || bands != null) {
      limits = Optional.of(readInlineLimits());
    }
    try {
      return new LimitCheck.OfRule(ruleId, identity == null ? List.of() : identity, limits, cost);
    } catch (IllegalArgumentException e) {
      // Limits of the check itself are named after the rule.
      throw HttpProblem.field("ruleId", String.valueOf(e.getMessage()));
    }
  }

  private List<RateLimitBand> readInlineLimits() {
    if (inlineLimits == null) {
      throw HttpProblem.field(
          limit != null ? "limit" : "bands",
          "limits are not taken from requests unless rl.server.inline-limits is true");
    }
    try {
      return inlineLimits.read(limit, bands);
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(400, String.valueOf(e.getMessage()));
    }
  }

  private LimitCheck ofPlans() {
    if (plans == null || plans.isEmpty()) {
      throw HttpProblem.field("plans", "must name at least one plan");
    }
    if (key == null || key.isEmpty()) {
      throw HttpProblem.field("key", "is missing; it names the buckets of the plans");
    }
    return new LimitCheck.OfPlans(plans, key, cost);
  }
}
