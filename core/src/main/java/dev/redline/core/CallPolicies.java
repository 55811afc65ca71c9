package dev.redline.core;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the limits of one call say about its buckets, in the order of the buckets. It counts where
 * the rule that owns a bucket does not say.
 */
final class CallPolicies {
  private final List<CallLimit.Policy> policies = new ArrayList<>(2);
  private @Nullable List<Optional<OnStoreFailure>> joined;
  private CallLimit.Policy current = CallLimit.Policy.DEFAULT;
  private long cost = 1;

  /** Notes the limit that the next buckets belong to. */
  void next(CallLimit limit) {
    cost = limit.cost();
    if (limit instanceof CallLimit.OfPlan ofPlan) {
      current = ofPlan.policy();
    } else if (limit instanceof CallLimit.OfRuleSet ofRuleSet) {
      current = ofRuleSet.policy();
    } else {
      current = CallLimit.Policy.DEFAULT;
    }
  }

  /** Returns the cost of the current limit. */
  long cost() {
    return cost;
  }

  /** Notes that the current limit has a further bucket. */
  void add() {
    policies.add(current);
  }

  /**
   * Notes that the current limit names bucket {@code i}, too: its callers wait only if both limits
   * say so, and the stricter one decides if the store fails.
   */
  void join(int i) {
    List<Optional<OnStoreFailure>> others = joined == null ? new ArrayList<>(2) : joined;
    joined = others;
    others.add(current.onStoreFailure());
    Optional<OnLimitExceed> first = policies.get(i).onLimitExceed();
    Optional<OnLimitExceed> second = current.onLimitExceed();
    if (!first.equals(second)) {
      Optional<OnLimitExceed> rejects = Optional.of(OnLimitExceed.REJECT);
      boolean rejected = first.equals(rejects) || second.equals(rejects);
      policies.set(
          i,
          new CallLimit.Policy(
              policies.get(i).onStoreFailure(), rejected ? rejects : Optional.empty()));
    }
  }

  Optional<OnStoreFailure> onStoreFailure(int i) {
    return policies.get(i).onStoreFailure();
  }

  Optional<OnLimitExceed> onLimitExceed(int i) {
    return policies.get(i).onLimitExceed();
  }

  /** Returns the strictest of a strategy and those of the limits that joined a bucket. */
  OnStoreFailure strictest(OnStoreFailure ofBuckets, OnStoreFailure byDefault) {
    OnStoreFailure strictest = ofBuckets;
    if (joined != null) {
      for (Optional<OnStoreFailure> other : joined) {
        strictest = strictest.strictest(other.orElse(byDefault));
      }
    }
    return strictest;
  }
}
