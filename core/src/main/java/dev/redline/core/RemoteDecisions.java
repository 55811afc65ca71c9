package dev.redline.core;

import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Has a {@link DecisionPoint} decide. While it fails, the rules in force here decide by their
 * failure strategies, as if its store had failed: LOCAL by the denials that it advertised, else by
 * this node's share of the limits. Such decisions are counted here; those of the decision point are
 * counted there.
 */
final class RemoteDecisions {
  private static final Logger LOG = System.getLogger(RateLimitEngine.class.getName());

  /** How many rejected rules are logged; there are as many as the application's code has. */
  private static final int MAX_LOGGED = 1000;

  private final DecisionPoint point;
  private final RulesInForce rules;
  private final RuleLookup lookup;
  private final CheckMatcher matcher;
  private final StoreWithFallback stores;
  private final EngineSettings settings;
  private final RememberedDenials denials = new RememberedDenials();
  private final Set<String> loggedRejections = ConcurrentHashMap.newKeySet();

  /** Finds what applies to a check by the rules in force here. */
  interface CheckMatcher {
    /** Returns the result if no store is needed, else null: the evaluation has the buckets. */
    @Nullable RateLimitResult find(LimitCheck check, Evaluation evaluation);
  }

  RemoteDecisions(
      DecisionPoint point,
      RulesInForce rules,
      RuleLookup lookup,
      CheckMatcher matcher,
      StoreWithFallback stores,
      EngineSettings settings) {
    this.point = point;
    this.rules = rules;
    this.lookup = lookup;
    this.matcher = matcher;
    this.stores = stores;
    this.settings = settings;
  }

  CompletionStage<RateLimitResult> decide(LimitCheck check, Evaluation evaluation) {
    long start = System.nanoTime();
    return point
        .decide(withRuleSet(check), evaluation.dryRun())
        .handle((result, failure) -> finish(check, evaluation, result, failure, start));
  }

  RateLimitResult decideAndWait(LimitCheck check, Evaluation evaluation) {
    long start = System.nanoTime();
    RateLimitResult result;
    try {
      result = point.decideAndWait(withRuleSet(check), evaluation.dryRun());
    } catch (RuntimeException e) {
      return finish(check, evaluation, null, e, start);
    }
    return finish(check, evaluation, result, null, start);
  }

  List<Optional<String>> rejections(List<LimitCheck> checks) {
    return point.rejections(checks);
  }

  /** Names the configured rule set, which the decision point does not know. */
  private LimitCheck withRuleSet(LimitCheck check) {
    return check instanceof LimitCheck.OfRequest ofRequest
            && ofRequest.ruleSetId().isEmpty()
            && settings.defaultRuleSetId().isPresent()
        ? new LimitCheck.OfRequest(
            settings.defaultRuleSetId(), ofRequest.request(), ofRequest.except())
        : check;
  }

  private RateLimitResult finish(
      LimitCheck check,
      Evaluation evaluation,
      @Nullable RateLimitResult result,
      @Nullable Throwable failure,
      long start) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    boolean failed = cause instanceof StoreException;
    if (!evaluation.dryRun()) {
      stores.called(!failed, System.nanoTime() - start);
    }
    if (result != null) {
      learn(check, evaluation, result);
      return result;
    }
    if (cause instanceof StoreException unavailable) {
      return decideHere(check, evaluation, unavailable);
    }
    if (cause instanceof UnknownNameException unknown && mayLackRuleSet(check)) {
      return lookup.missingRules(String.valueOf(unknown.getMessage()));
    }
    if (cause instanceof IllegalArgumentException rejected
        && check instanceof LimitCheck.OfLimits ofLimits) {
      logRejection(ofLimits, rejected);
    }
    throw cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  /**
   * Logs once that limits of the application's code are rejected: a start that did not reach the
   * decision point could not report it. Each call fails with the same error.
   */
  private void logRejection(LimitCheck.OfLimits check, IllegalArgumentException rejected) {
    for (CallLimit limit : check.limits()) {
      if (limit instanceof CallLimit.OfRule ofRule
          && loggedRejections.size() < MAX_LOGGED
          && loggedRejections.add(ofRule.rule().id())) {
        LOG.log(
            Level.ERROR,
            "calls with the limit '"
                + ofRule.rule().id()
                + "' fail (logged once): "
                + rejected.getMessage());
      }
    }
  }

  /** Returns whether {@code rl.missing-rule-behavior} counts if the rule set does not exist. */
  private static boolean mayLackRuleSet(LimitCheck check) {
    return check instanceof LimitCheck.OfRequest ofRequest
        ? ofRequest.ruleSetId().isEmpty()
        : check instanceof LimitCheck.OfLimits ofLimits
            && ofLimits.limits().get(0) instanceof CallLimit.OfRuleSet;
  }

  /** Notes the rule that decided for listeners, and the denial for when the next call fails. */
  private void learn(LimitCheck check, Evaluation evaluation, RateLimitResult result) {
    ActiveRules known = rules.current();
    if (evaluation.dryRun() || (known == null && !(check instanceof LimitCheck.OfLimits))) {
      return;
    }
    if (known != null && result.ruleIdOrNull() != null) {
      evaluation.decidedElsewhereBy(known.compiled().rule(result.ruleIdOrNull()));
    }
    if (result.reason() == Reason.LIMIT_EXCEEDED) {
      Evaluation buckets = new Evaluation(false, false, true);
      try {
        if (matcher.find(check, buckets) == null) {
          denials.learn(buckets.acquisition(), result);
        }
      } catch (IllegalArgumentException e) {
        LOG.log(Level.DEBUG, "the rules here do not have what was denied", e);
      }
    }
  }

  private RateLimitResult decideHere(
      LimitCheck check, Evaluation evaluation, StoreException failure) {
    if (rules.current() == null && !hasRuleOfItsOwn(check)) {
      // Matching would log that every request is allowed, which the strategy decides.
      return withoutRules(evaluation, "no rules are loaded", failure);
    }
    RateLimitResult found;
    try {
      found = matcher.find(check, evaluation);
    } catch (UnknownNameException e) {
      return withoutRules(evaluation, String.valueOf(e.getMessage()), failure);
    }
    if (found != null && rules.current() == null) {
      return withoutRules(evaluation, "no rules are loaded", failure);
    }
    if (found != null) {
      return found.asDegraded(found.retryAfterMicrosOrAbsent());
    }
    boolean local = evaluation.onStoreFailure(settings.onStoreFailure()) == OnStoreFailure.LOCAL;
    RateLimitResult denied = local ? denials.find(evaluation.acquisition()) : null;
    if (denied == null) {
      return stores.decideWithoutPrimary(evaluation, failure);
    }
    stores.failed(evaluation.dryRun(), OnStoreFailure.LOCAL, failure);
    return denied;
  }

  /** Returns whether the application's code declares a rule, which needs no others. */
  private static boolean hasRuleOfItsOwn(LimitCheck check) {
    return check instanceof LimitCheck.OfLimits ofLimits
        && ofLimits.limits().stream().anyMatch(CallLimit.OfRule.class::isInstance);
  }

  /** Decides by the configured strategy, since no rule is known that says one. */
  private RateLimitResult withoutRules(
      Evaluation evaluation, String missing, StoreException failure) {
    OnStoreFailure strategy = settings.onStoreFailure();
    stores.failed(evaluation.dryRun(), strategy, failure);
    return switch (strategy) {
      case OPEN, CLOSED -> DecisionFinisher.finishFailed(evaluation, strategy);
      case LOCAL -> {
        RateLimitResult result = lookup.missingRules(missing);
        yield result.asDegraded(result.retryAfterMicrosOrAbsent());
      }
    };
  }
}
