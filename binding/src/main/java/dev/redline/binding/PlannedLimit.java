package dev.redline.binding;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** One limit of a method, compiled. */
final class PlannedLimit {
  private final @Nullable Expression condition;
  private final @Nullable Expression unless;
  private final Target target;

  /** What a limit charges. */
  sealed interface Target {}

  /** The limits of {@code value}. */
  record OfRule(RateLimitRule rule, CallKey key, long cost) implements Target {}

  /** Plans, whose names may be expressions. */
  record OfPlans(List<Expression> plans, CallKey key, long cost, CallLimit.Policy policy)
      implements Target {}

  /** A rule set. */
  record OfRuleSet(CallLimit.OfRuleSet limit) implements Target {}

  PlannedLimit(@Nullable Expression condition, @Nullable Expression unless, Target target) {
    this.condition = condition;
    this.unless = unless;
    this.target = target;
  }

  /** Returns the rule that the limit declares, or null if it is a plan or rule set. */
  @Nullable RateLimitRule ruleOrNull() {
    return target instanceof OfRule ofRule ? ofRule.rule : null;
  }

  /** Passes the names of plans, with the cost of a call, and of the rule set to a receiver each. */
  void names(ObjLongConsumer<String> plan, Consumer<String> ruleSet) {
    if (target instanceof OfPlans ofPlans) {
      for (Expression name : ofPlans.plans) {
        if (name instanceof LimitCompiler.FixedName fixed) {
          plan.accept(fixed.name(), ofPlans.cost);
        }
      }
    } else if (target instanceof OfRuleSet ofRuleSet) {
      ruleSet.accept(ofRuleSet.limit.ruleSetId());
    }
  }

  boolean needsRequest() {
    boolean conditions =
        (condition != null && condition.needsRequest())
            || (unless != null && unless.needsRequest());
    if (target instanceof OfRule ofRule) {
      return conditions || ofRule.key.needsRequest();
    }
    if (target instanceof OfPlans ofPlans) {
      return conditions
          || ofPlans.key.needsRequest()
          || ofPlans.plans.stream().anyMatch(Expression::needsRequest);
    }
    return true;
  }

  /** Returns whether the limit applies to a call. */
  boolean appliesTo(Call call) {
    return (condition == null || isTrue(condition.evaluate(call)))
        && (unless == null || !isTrue(unless.evaluate(call)));
  }

  private static boolean isTrue(@Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value);
    }
    throw new IllegalArgumentException(
        "a condition must be true or false, was a " + value.getClass().getTypeName());
  }

  /** Returns the limit if it is a single one, else null. */
  @Nullable CallLimit single(Call call) {
    if (target instanceof OfRule ofRule) {
      return new CallLimit.OfRule(ofRule.rule, ofRule.key.identity(call), ofRule.cost);
    }
    if (target instanceof OfRuleSet ofRuleSet) {
      return ofRuleSet.limit;
    }
    OfPlans ofPlans = (OfPlans) target;
    return ofPlans.plans.size() == 1
        ? plan(ofPlans, ofPlans.plans.get(0), ofPlans.key.identity(call), call)
        : null;
  }

  /** Adds the limits of a call. */
  void addTo(List<CallLimit> limits, Call call) {
    CallLimit single = single(call);
    if (single != null) {
      limits.add(single);
      return;
    }
    OfPlans ofPlans = (OfPlans) target;
    String identity = ofPlans.key.identity(call);
    for (Expression plan : ofPlans.plans) {
      limits.add(plan(ofPlans, plan, identity, call));
    }
  }

  private static CallLimit plan(OfPlans of, Expression plan, String identity, Call call) {
    String name = KeyText.of(plan.evaluate(call));
    if (name == null) {
      throw new IllegalArgumentException("the expression of the plan gave no name");
    }
    return new CallLimit.OfPlan(name, identity, of.cost, of.policy);
  }
}
