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

  /** Verifies that the request may go on. */
  public RateLimitResultAssert isAllowed() {
    isNotNull();
    return check(actual.allowed(), "to be allowed");
  }

  /** Verifies that the request may not go on. */
  public RateLimitResultAssert isRefused() {
    isNotNull();
    return check(!actual.allowed(), "to be refused");
  }

  /** Verifies why the decision is what it is. */
  public RateLimitResultAssert hasReason(Reason expected) {
    isNotNull();
    return check(actual.reason() == expected, "to have reason " + expected);
  }

  /** Verifies which rule decided. */
  public RateLimitResultAssert hasRule(String expectedId) {
    isNotNull();
    return equal("rule", actual.ruleId(), expectedId);
  }

  /** Verifies of which rule set the rule is that decided. */
  public RateLimitResultAssert hasRuleSet(String expectedId) {
    isNotNull();
    return equal("rule set", actual.ruleSetId(), expectedId);
  }

  /** Verifies which plan decided. */
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

  /** Verifies what is left of the reported band. */
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

  /** Verifies how long to wait, exactly. */
  public RateLimitResultAssert retriesAfter(Duration expected) {
    isNotNull();
    return equal("wait", actual.retryAfter(), expected);
  }

  /** Verifies that there is a wait, longer than nothing and at most this long. */
  public RateLimitResultAssert retriesWithin(Duration longest) {
    isNotNull();
    boolean within =
        actual
            .retryAfter()
            .filter(wait -> wait.compareTo(Duration.ZERO) > 0 && wait.compareTo(longest) <= 0)
            .isPresent();
    return check(within, "to tell a wait of more than nothing and at most " + longest);
  }

  /** Verifies that no wait is told: the request passed, or waiting does not help. */
  public RateLimitResultAssert tellsNoWait() {
    isNotNull();
    return check(actual.retryAfter().isEmpty(), "to tell no wait");
  }

  /** Verifies when the reported band is full again. */
  public RateLimitResultAssert resetsAt(Instant expected) {
    isNotNull();
    return equal("reset", actual.resetAt(), expected);
  }

  /** Verifies which shadow rules would have refused, in order; none if none are given. */
  public RateLimitResultAssert hasShadowDenied(String... expectedRuleIds) {
    isNotNull();
    List<String> expected = Arrays.asList(expectedRuleIds);
    return check(
        actual.shadowDenied().equals(expected),
        "to be shadow-denied by " + expected + " but was by " + actual.shadowDenied());
  }

  /** Verifies that another store than the configured one decided, or none. */
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
