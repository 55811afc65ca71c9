package dev.redline.testkit;

import dev.redline.core.RateLimitResult;

/** The entry to fluent assertions about decisions. */
public final class RedlineAssertions {
  private RedlineAssertions() {}

  /** Starts assertions about a decision. */
  public static RateLimitResultAssert assertThat(RateLimitResult actual) {
    return new RateLimitResultAssert(actual);
  }
}
