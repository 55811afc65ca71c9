package dev.redline.binding;

import dev.redline.core.RateLimit;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of one {@link RateLimit} annotation as they are written, and where; not validated.
 *
 * @param source what the annotation stands on; equal sources with equal ids are one limit
 * @param value the limits
 * @param plans the names of the plans, in the order they are written
 * @param ruleSet the rule set, or empty
 * @param key the entries of the key
 * @param id the id, or empty for the default
 * @param tokens the cost of a call
 * @param condition the condition, or empty
 * @param unless the negated condition, or empty
 * @param onStoreFailure what decides if the store fails; at most one
 * @param onLimitExceed what happens to a caller over the limit; at most one
 * @param fallbackMethod the name of the fallback, or empty
 */
public record LimitSpec(
    Object source,
    List<String> value,
    List<String> plans,
    String ruleSet,
    List<String> key,
    String id,
    long tokens,
    String condition,
    String unless,
    List<OnStoreFailure> onStoreFailure,
    List<OnLimitExceed> onLimitExceed,
    String fallbackMethod) {
  /** Copies the lists. */
  public LimitSpec {
    value = List.copyOf(value);
    plans = List.copyOf(plans);
    key = List.copyOf(key);
    onStoreFailure = List.copyOf(onStoreFailure);
    onLimitExceed = List.copyOf(onLimitExceed);
  }

  /** Returns the values of an annotation. */
  public static LimitSpec of(RateLimit annotation, Object source) {
    List<String> plans = new ArrayList<>();
    if (!annotation.plan().isEmpty()) {
      plans.add(annotation.plan());
    }
    plans.addAll(List.of(annotation.plans()));
    return new LimitSpec(
        source,
        List.of(annotation.value()),
        plans,
        annotation.ruleSet(),
        List.of(annotation.key()),
        annotation.id(),
        annotation.tokens(),
        annotation.condition(),
        annotation.unless(),
        List.of(annotation.onStoreFailure()),
        List.of(annotation.onLimitExceed()),
        annotation.fallbackMethod());
  }
}
