package dev.redline.binding;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Compiles one annotation of a method; reports all its problems. */
final class LimitCompiler {
  /** The rule set of the rules that annotations declare. */
  static final String RULE_SET = "annotations";

  private final Expression.Compiler expressions;
  private final KeyCompiler keys;
  private final UnaryOperator<String> placeholders;

  LimitCompiler(
      Expression.Compiler expressions, KeyCompiler keys, UnaryOperator<String> placeholders) {
    this.expressions = expressions;
    this.keys = keys;
    this.placeholders = placeholders;
  }

  /** Returns the limit, or null if there are problems. */
  @Nullable PlannedLimit compile(LimitSpec spec, MethodModel method, Consumer<String> problems) {
    Attempts attempts = new Attempts(problems);
    int kinds = (spec.value().isEmpty() ? 0 : 1) + (spec.plans().isEmpty() ? 0 : 1);
    kinds += spec.ruleSet().isEmpty() ? 0 : 1;
    if (kinds != 1) {
      problems.accept(
          "exactly one of value, plan(s) and ruleSet must be given, "
              + (kinds == 0 ? "none is" : "several are"));
      attempts.failed = true;
    }
    if (spec.value().isEmpty() && !spec.id().isEmpty()) {
      problems.accept(
          "id \""
              + spec.id()
              + "\" has no effect without value, whose buckets it names: remove it, or give the"
              + " limits as value");
      attempts.failed = true;
    }
    if (spec.tokens() < 1 || spec.tokens() > RateLimitBand.MAX_TOKENS) {
      problems.accept("tokens must be 1 to " + RateLimitBand.MAX_TOKENS + ", is " + spec.tokens());
      attempts.failed = true;
    }
    if (spec.onStoreFailure().size() > 1 || spec.onLimitExceed().size() > 1) {
      problems.accept("onStoreFailure and onLimitExceed take at most one value");
      attempts.failed = true;
    }
    Expression condition = attempts.get(() -> condition("condition", spec.condition(), method));
    Expression unless = attempts.get(() -> condition("unless", spec.unless(), method));
    boolean underPlan = !spec.plans().isEmpty();
    CallKey key = attempts.get(() -> key(spec, underPlan, method));
    PlannedLimit.Target target = kinds == 1 ? target(spec, key, method, attempts) : null;
    return attempts.failed || target == null ? null : new PlannedLimit(condition, unless, target);
  }

  /** Runs steps that may fail, and reports each failure. */
  private static final class Attempts {
    private final Consumer<String> problems;
    private boolean failed;

    Attempts(Consumer<String> problems) {
      this.problems = problems;
    }

    <T> @Nullable T get(Step<T> step) {
      try {
        return step.run();
      } catch (IllegalArgumentException e) {
        problems.accept(String.valueOf(e.getMessage()));
        failed = true;
        return null;
      }
    }
  }

  /** A step that fails with an {@link IllegalArgumentException}. */
  private interface Step<T> {
    @Nullable T run();
  }

  private @Nullable Expression condition(String attribute, String text, MethodModel method) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      return expressions.compile(text, method);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(attribute + " \"" + text + "\": " + e.getMessage(), e);
    }
  }

  private CallKey key(LimitSpec spec, boolean underPlan, MethodModel method) {
    if (!spec.ruleSet().isEmpty() && !spec.key().isEmpty()) {
      throw new IllegalArgumentException("key has no effect with ruleSet, whose rules have keys");
    }
    return keys.compile(spec.key(), underPlan, method);
  }

  private PlannedLimit.@Nullable Target target(
      LimitSpec spec, @Nullable CallKey key, MethodModel method, Attempts attempts) {
    CallLimit.Policy policy =
        new CallLimit.Policy(
            spec.onStoreFailure().stream().findFirst(), spec.onLimitExceed().stream().findFirst());
    if (!spec.ruleSet().isEmpty()) {
      String set = attempts.get(() -> resolve(spec.ruleSet()));
      return set == null || attempts.failed
          ? null
          : new PlannedLimit.OfRuleSet(new CallLimit.OfRuleSet(set, spec.tokens(), policy));
    }
    if (!spec.plans().isEmpty()) {
      List<Expression> plans = new ArrayList<>();
      for (String plan : spec.plans()) {
        Expression name = attempts.get(() -> plan(resolve(plan), method));
        if (name != null) {
          plans.add(name);
        }
      }
      return key == null || attempts.failed
          ? null
          : new PlannedLimit.OfPlans(plans, key, spec.tokens(), policy);
    }
    RateLimitRule rule = attempts.get(() -> rule(spec, method));
    return key == null || rule == null ? null : new PlannedLimit.OfRule(rule, key, spec.tokens());
  }

  private Expression plan(String text, MethodModel method) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("the name of a plan must not be empty");
    }
    return text.contains(Template.OPEN)
        ? Template.compile(text, expressions, method)
        : new FixedName(text);
  }

  /** The name of a plan that no call chooses. */
  record FixedName(String name) implements Expression {
    @Override
    public Object evaluate(Call call) {
      return name;
    }

    @Override
    public boolean needsRequest() {
      return false;
    }
  }

  private RateLimitRule rule(LimitSpec spec, MethodModel method) {
    String id =
        spec.id().isEmpty()
            ? (method.className() + "." + method.name()).replaceAll("[^A-Za-z0-9._-]", "_")
            : resolve(spec.id());
    RateLimitRule.Builder rule = RateLimitRule.builder().id(id).ruleSetId(RULE_SET);
    for (String text : spec.value()) {
      RateLimitBand band = RateLimitBand.parse(resolve(text));
      if (spec.tokens() > band.capacity()) {
        throw new IllegalArgumentException(
            "a call costs "
                + spec.tokens()
                + " tokens, and the limit \""
                + text
                + "\" has room for "
                + band.capacity()
                + ": no call would ever be allowed");
      }
      rule.addBand(band);
    }
    spec.onStoreFailure().stream().findFirst().ifPresent(rule::onStoreFailure);
    spec.onLimitExceed().stream().findFirst().ifPresent(rule::onLimitExceed);
    return rule.build();
  }

  private String resolve(String text) {
    return text.contains("${")
        ? Optional.ofNullable(placeholders.apply(text))
            .orElseThrow(() -> new IllegalArgumentException("\"" + text + "\" has no value"))
        : text;
  }
}
