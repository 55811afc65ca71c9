package dev.redline.core;

import dev.redline.core.internal.limit.BandArithmetic;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.spi.MetricsExporter.RuleResult;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the result of an evaluation and a store's outcome: counts the result of each rule, chooses
 * the reported band and computes its numbers, once. Keeps nothing.
 */
final class DecisionFinisher {
  private static final long FAIL_CLOSED_RETRY_MICROS = 1_000_000;

  private DecisionFinisher() {}

  /** Returns the result if no store is needed, else null. */
  static @Nullable RateLimitResult finishWithoutStore(Evaluation evaluation) {
    RateLimitRule denying = evaluation.denyingRule();
    if (denying != null) {
      return denied(Reason.BLOCKED, denying, evaluation);
    }
    RateLimitRule withoutIdentity = evaluation.ruleWithoutIdentity();
    if (withoutIdentity != null) {
      return denied(Reason.MISSING_IDENTITY, withoutIdentity, evaluation);
    }
    if (evaluation.size() > 0) {
      return null;
    }
    return evaluation.isEmpty()
        ? RateLimitResult.of(Reason.NO_MATCHING_RULE)
        : nameAllowingRule(RateLimitResult.builder(Reason.ALLOWED), evaluation)
            .shadowDenied(evaluation.shadowDenied())
            .build();
  }

  private static RateLimitResult denied(Reason reason, RateLimitRule by, Evaluation evaluation) {
    return RateLimitResult.builder(reason)
        .rule(by.ruleSetId(), by.id())
        .shadowDenied(evaluation.shadowDenied())
        .build();
  }

  /**
   * Returns the result of a store's outcome. Changes the outcome: its views become those after the
   * decision.
   */
  static RateLimitResult finish(Evaluation evaluation, Outcome outcome) {
    return finish(evaluation, evaluation.acquisition(), outcome);
  }

  /** Returns the result of an acquisition from the limits, or from this node's share of them. */
  static RateLimitResult finish(Evaluation evaluation, Acquisition acquired, Outcome outcome) {
    Reason reason = reason(evaluation.acquisition(), outcome);
    return finish(evaluation, acquired, outcome, reason, 0);
  }

  /**
   * Returns the denial of a caller that waited, or could have.
   *
   * @param turnMicros how long it would wait from now, behind the callers ahead
   */
  static RateLimitResult finishWaiting(
      Evaluation evaluation,
      Acquisition acquired,
      Outcome outcome,
      Reason reason,
      long turnMicros) {
    return finish(evaluation, acquired, outcome, reason, turnMicros);
  }

  /** Returns the result of one enforced bucket of a plan that no meter counts. */
  static RateLimitResult finishPlan(Acquisition acquired, Outcome outcome, boolean reportBands) {
    advance(acquired, outcome);
    Reason reason = reason(acquired, outcome);
    int band = reportedBand(acquired, acquired, outcome);
    return result(reason, acquired, outcome, band, null, 0, List.of(), reportBands);
  }

  private static RateLimitResult finish(
      Evaluation evaluation,
      Acquisition acquired,
      Outcome outcome,
      Reason reason,
      long turnMicros) {
    List<String> shadowDenied = count(evaluation, acquired, outcome);
    advance(acquired, outcome);
    int band = reportedBand(evaluation.acquisition(), acquired, outcome);
    if (band == ReportedBand.NONE) {
      return nameAllowingRule(RateLimitResult.builder(reason), evaluation)
          .degraded(outcome.degraded())
          .shadowDenied(shadowDenied)
          .build();
    }
    int key = ReportedBand.key(band, acquired);
    boolean plan = acquired.key(key).limits().ownerKind() == BucketLimits.OwnerKind.PLAN;
    String ruleSetId = plan ? null : evaluation.ruleSetId(key);
    boolean reportBands = evaluation.reportsBands();
    return result(
        reason, acquired, outcome, band, ruleSetId, turnMicros, shadowDenied, reportBands);
  }

  private static Reason reason(Acquisition whole, Outcome outcome) {
    if (outcome.allowed()) {
      return outcome.degraded() ? Reason.LOCAL_FALLBACK : Reason.ALLOWED;
    }
    return ReportedBand.costExceedsCapacity(whole) == ReportedBand.NONE
        ? Reason.LIMIT_EXCEEDED
        : Reason.COST_EXCEEDS_CAPACITY;
  }

  private static int reportedBand(Acquisition whole, Acquisition acquired, Outcome outcome) {
    if (outcome.allowed()) {
      return ReportedBand.smallestShare(acquired, outcome);
    }
    int tooSmall = ReportedBand.costExceedsCapacity(whole);
    return tooSmall == ReportedBand.NONE ? ReportedBand.longestWait(acquired, outcome) : tooSmall;
  }

  /** Counts the result of each bucket; returns the shadow rules that would have denied. */
  private static List<String> count(Evaluation evaluation, Acquisition acquired, Outcome outcome) {
    BitSet shadowDenied = null;
    for (int i = 0; i < acquired.size(); i++) {
      if (!outcome.seen(i)) {
        continue;
      }
      if (outcome.passed(i)) {
        evaluation.count(i, RuleResult.ALLOWED);
      } else if (acquired.shadow(i)) {
        evaluation.count(i, RuleResult.SHADOW_DENIED);
        shadowDenied = shadowDenied == null ? new BitSet() : shadowDenied;
        shadowDenied.set(i);
      } else {
        evaluation.count(i, RuleResult.DENIED);
      }
    }
    return shadowDenied == null ? evaluation.shadowDenied() : evaluation.shadowDenied(shadowDenied);
  }

  /**
   * Turns the views into those after this decision. Tokens that this process has leased count as
   * left: it can spend them.
   */
  private static void advance(Acquisition acquired, Outcome outcome) {
    if (!outcome.allowed()) {
      return;
    }
    int v = 0;
    for (int i = 0; i < acquired.size(); i++) {
      BucketLimits limits = acquired.key(i).limits();
      boolean passed = outcome.passed(i);
      for (int b = 0; b < limits.size(); b++, v += BandArithmetic.VIEW_WORDS) {
        if (passed) {
          limits.band(b).advance(outcome.views(), v, acquired.cost(i));
        }
        if (outcome.leased(i) > 0) {
          limits.band(b).retreat(outcome.views(), v, outcome.leased(i));
        }
      }
    }
  }

  /** Computes the numbers of the reported band. */
  private static RateLimitResult result(
      Reason reason,
      Acquisition acquired,
      Outcome outcome,
      int number,
      @Nullable String ruleSetId,
      long turnMicros,
      List<String> shadowDenied,
      boolean reportBands) {
    int key = ReportedBand.key(number, acquired);
    int b = number - ReportedBand.firstOf(key, acquired);
    BandArithmetic band = acquired.key(key).limits().band(b);
    long[] views = outcome.views();
    int v = number * BandArithmetic.VIEW_WORDS;
    boolean waitingHelps = !outcome.allowed() && reason != Reason.COST_EXCEEDS_CAPACITY;
    return new RateLimitResult(
        reason,
        acquired.key(key),
        b,
        ruleSetId,
        band.remaining(views, v),
        waitingHelps
            ? Math.max(turnMicros, ReportedBand.waitMicros(band, views, v, acquired.cost(key)))
            : RateLimitResult.ABSENT,
        outcome.nowMicros(key) + band.resetMicros(views, v),
        shadowDenied,
        reportBands ? ReportedBand.enforced(acquired, outcome) : List.of(),
        outcome.degraded());
  }

  /** Returns the denial of a caller whose first attempt had no outcome in time. */
  static RateLimitResult finishTimedOut(Evaluation evaluation) {
    countErrors(evaluation);
    return finishDegraded(
        nameFirstOwner(RateLimitResult.builder(Reason.WAIT_TIMEOUT), evaluation)
            .retryAfterMicros(FAIL_CLOSED_RETRY_MICROS),
        evaluation);
  }

  /**
   * Returns the result when neither the store nor a fallback could decide.
   *
   * @param strategy what decides then; null if no bucket is enforced
   */
  static RateLimitResult finishFailed(Evaluation evaluation, @Nullable OnStoreFailure strategy) {
    countErrors(evaluation);
    if (strategy == null) {
      return finishDegraded(
          nameAllowingRule(RateLimitResult.builder(Reason.ALLOWED), evaluation), evaluation);
    }
    if (strategy == OnStoreFailure.OPEN) {
      return finishDegraded(RateLimitResult.builder(Reason.FAIL_OPEN), evaluation);
    }
    return finishDegraded(
        nameFirstOwner(RateLimitResult.builder(Reason.FAIL_CLOSED), evaluation)
            .retryAfterMicros(FAIL_CLOSED_RETRY_MICROS),
        evaluation);
  }

  private static void countErrors(Evaluation evaluation) {
    for (int i = 0; i < evaluation.size(); i++) {
      evaluation.count(i, RuleResult.ERROR);
    }
  }

  private static RateLimitResult finishDegraded(
      RateLimitResult.Builder result, Evaluation evaluation) {
    return result.degraded(true).shadowDenied(evaluation.shadowDenied()).build();
  }

  /** Names the ALLOW rule, if there was one; it decides where no limit is enforced. */
  private static RateLimitResult.Builder nameAllowingRule(
      RateLimitResult.Builder result, Evaluation evaluation) {
    RateLimitRule allowing = evaluation.allowingRule();
    return allowing == null ? result : result.rule(allowing.ruleSetId(), allowing.id());
  }

  /** Names the owner of the first enforced bucket. */
  private static RateLimitResult.Builder nameFirstOwner(
      RateLimitResult.Builder result, Evaluation evaluation) {
    if (evaluation.size() == 0) {
      return result;
    }
    Acquisition acquisition = evaluation.acquisition();
    for (int i = 0; i < acquisition.size(); i++) {
      if (!acquisition.shadow(i)) {
        BucketLimits limits = acquisition.key(i).limits();
        return limits.ownerKind() == BucketLimits.OwnerKind.PLAN
            ? result.plan(limits.ownerId())
            : result.rule(evaluation.ruleSetId(i), limits.ownerId());
      }
    }
    return result;
  }
}
