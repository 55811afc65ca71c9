package dev.redline.core;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.internal.rule.CompiledRules;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The differences between the former rules and those now in force. All lists contain ids in
 * alphabetical order.
 *
 * <p>Rules are compared by their fields, so a rule that was only read again has not changed. A rule
 * with a {@code KeyResolver} has changed unless the resolver is the same object. Changed limits
 * have new buckets, which are full; no bucket is reset.
 *
 * @param version the version of the rules now in force
 * @param added the new rules
 * @param changed the rules of which a field changed
 * @param removed the rules that no longer exist
 * @param rulesStartingAnew the added or changed rules whose buckets are all full now
 * @param plansStartingAnew the plans whose buckets are all full now
 */
public record RuleChange(
    long version,
    List<String> added,
    List<String> changed,
    List<String> removed,
    List<String> rulesStartingAnew,
    List<String> plansStartingAnew) {

  /**
   * Is notified when other rules come into force, for example to log the change or to warm a cache.
   *
   * <p>Called on the thread that brings the rules into force, after decisions go by them, one
   * change at a time. An exception is logged and changes nothing.
   */
  @FunctionalInterface
  public interface Listener {
    /** Other rules are in force. */
    void rulesChanged(RuleChange change);
  }

  static RuleChange between(@Nullable RuleBook before, RuleBook after) {
    List<String> added = new ArrayList<>();
    List<String> changed = new ArrayList<>();
    List<String> rulesAnew = new ArrayList<>();
    CompiledRules then = before == null ? null : before.compiled();
    CompiledRules current = after.compiled();
    for (CompiledRule rule : current.rules()) {
      String id = rule.rule().id();
      CompiledRule old = then == null ? null : then.rule(id);
      if (old == null) {
        added.add(id);
      } else if (!says(rule.rule()).equals(says(old.rule())) || !sameLimits(rule, old)) {
        changed.add(id);
      }
      if (rule.limiting() && (old == null || !old.limiting() || !sameBuckets(rule, old))) {
        rulesAnew.add(id);
      }
    }
    List<String> removed = new ArrayList<>();
    List<String> plansAnew = new ArrayList<>();
    if (before != null) {
      before.rules().stream()
          .map(RateLimitRule::id)
          .filter(id -> after.rule(id).isEmpty())
          .forEach(removed::add);
    }
    for (String id : after.plans().keySet()) {
      BucketLimits old = then == null ? null : then.planLimits(id);
      BucketLimits now = current.planLimits(id);
      if (old == null || (now != null && !now.hasBucketsOf(old))) {
        plansAnew.add(id);
      }
    }
    return new RuleChange(
        after.version(),
        sorted(added),
        sorted(changed),
        sorted(removed),
        sorted(rulesAnew),
        sorted(plansAnew));
  }

  private static boolean sameBuckets(CompiledRule rule, CompiledRule old) {
    return rule.limits().hasBucketsOf(old.limits())
        && rule.rule().key().equals(old.rule().key())
        && rule.rule().keyResolver().isPresent() == old.rule().keyResolver().isPresent();
  }

  private static boolean sameLimits(CompiledRule rule, CompiledRule old) {
    return rule.bands().equals(old.bands());
  }

  /** Returns the fields of a rule that are compared, without its times of creation and change. */
  private static List<Object> says(RateLimitRule rule) {
    return List.of(
        rule.ruleSetId(),
        rule.action(),
        rule.paths(),
        rule.methods(),
        rule.match(),
        rule.key(),
        rule.keyResolver(),
        rule.onMissingIdentity(),
        rule.plans(),
        rule.cost(),
        rule.priority(),
        rule.stop(),
        rule.enabled(),
        rule.mode(),
        rule.onLimitExceed(),
        rule.onStoreFailure(),
        rule.metadata());
  }

  private static List<String> sorted(List<String> ids) {
    return ids.stream().sorted().toList();
  }

  /** Returns whether no rule and no plan changed in a way that affects decisions. */
  public boolean isEmpty() {
    return added.isEmpty() && changed.isEmpty() && removed.isEmpty() && plansStartingAnew.isEmpty();
  }
}
