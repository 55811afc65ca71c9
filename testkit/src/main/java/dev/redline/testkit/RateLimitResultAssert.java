package dev.redline.testkit;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.AbstractAssert;

/** Fluent assertions about a decision; get one from {@link RedlineAssertions#assertThat}. */
public final class RateLimitResultAssert
    extends AbstractAssert<RateLimitResultAssert, RateLimitResult> {

  RateLimitResultAssert(RateLimitResult actual) {
    super(actual, RateLimitResultAssert.class);
  }

  /** Verifies that the request is allowed. */
  public RateLimitResultAssert isAllowed() {
    isNotNull();
    return check(actual.allowed(), "to be allowed");
  }

  /** Verifies that the request is denied. */
  public RateLimitResultAssert isDenied() {
    isNotNull();
    return check(!actual.allowed(), "to be denied");
  }

  /** Verifies the reason of the decision. */
  public RateLimitResultAssert hasReason(Reason expected) {
    isNotNull();
    return check(actual.reason() == expected, "to have reason " + expected);
  }

  /** Verifies the id of the rule that decided. */
  public RateLimitResultAssert hasRule(String expectedId) {
    isNotNull();
    return equal("rule", actual.ruleId(), expectedId);
  }

  /** Verifies the rule set of the rule that decided. */
  public RateLimitResultAssert hasRuleSet(String expectedId) {
    isNotNull();
    return equal("rule set", actual.ruleSetId(), expectedId);
  }

  /** Verifies the id of the plan that decided. */
  public RateLimitResultAssert hasPlan(String expectedId) {
    isNotNull();
    return equal("plan", actual.plan(), expectedId);
  }

  /** Verifies the label of the reported band. */
  public RateLimitResultAssert hasBand(String expectedLabel) {
    isNotNull();
    return equal("band", actual.band(), expectedLabel);
  }

  /** Verifies the capacity of the reported band. */
  public RateLimitResultAssert hasLimit(long expected) {
    isNotNull();
    return equal("limit", boxed(actual.limit()), expected);
  }

  /** Verifies the remaining tokens of the reported band. */
  public RateLimitResultAssert hasRemaining(long expected) {
    isNotNull();
    return equal("remaining", boxed(actual.remaining()), expected);
  }

  /** Verifies that the decision reports no band, limit, remaining, wait or reset. */
  public RateLimitResultAssert hasNoNumbers() {
    isNotNull();
    boolean none =
        actual.limit().isEmpty()
            && actual.remaining().isEmpty()
            && actual.retryAfter().isEmpty()
            && actual.resetAt().isEmpty();
    return check(none, "to report no numbers");
  }

  /** Verifies the exact time to wait. */
  public RateLimitResultAssert retriesAfter(Duration expected) {
    isNotNull();
    return equal("wait", actual.retryAfter(), expected);
  }

  /** Verifies that there is a time to wait, above zero and at most this long. */
  public RateLimitResultAssert retriesWithin(Duration longest) {
    isNotNull();
    boolean within =
        actual
            .retryAfter()
            .filter(wait -> wait.compareTo(Duration.ZERO) > 0 && wait.compareTo(longest) <= 0)
            .isPresent();
    return check(within, "to have a wait above zero and at most " + longest);
  }

  /** Verifies that there is no time to wait: the request is allowed, or waiting does not help. */
  public RateLimitResultAssert hasNoWait() {
    isNotNull();
    return check(actual.retryAfter().isEmpty(), "to have no wait");
  }

  /** Verifies when the reported band is full again. */
  public RateLimitResultAssert resetsAt(Instant expected) {
    isNotNull();
    return equal("reset", actual.resetAt(), expected);
  }

  /** Verifies which shadow rules would have denied, in order; none if none are given. */
  public RateLimitResultAssert hasShadowDenied(String... expectedRuleIds) {
    isNotNull();
    List<String> expected = Arrays.asList(expectedRuleIds);
    return check(
        actual.shadowDenied().equals(expected),
        "to be shadow-denied by " + expected + " but was by " + actual.shadowDenied());
  }

  /** Verifies that the fallback store decided, or no store. */
  public RateLimitResultAssert isDegraded() {
    isNotNull();
    return check(actual.degraded(), "to be degraded");
  }

  /** Verifies that the configured store decided. */
  public RateLimitResultAssert isNotDegraded() {
    isNotNull();
    return check(!actual.degraded(), "not to be degraded");
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private <T> RateLimitResultAssert equal(String what, Optional<T> found, T expected) {
    String was = found.map(value -> " but it was " + value).orElse(" but there was none");
    return check(
        found.filter(expected::equals).isPresent(), "to have " + what + " " + expected + was);
  }

  private RateLimitResultAssert check(boolean holds, String expectation) {
    if (!holds) {
      failWithMessage("Expected %s%n%s", actual, expectation);
    }
    return this;
  }
}
