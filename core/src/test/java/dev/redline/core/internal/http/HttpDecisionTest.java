package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class HttpDecisionTest {
  private static final HttpSettings PLAIN = new HttpSettings(false, false, 429);

  private static RateLimitResult.Builder limited(Reason reason) {
    return RateLimitResult.builder(reason)
        .rule("api", "per-ip")
        .band("per-ip", 10, 4, Instant.ofEpochSecond(1000, 1000));
  }

  private static Map<String, String> headers(RateLimitResult.Builder result) {
    return HttpDecision.of(result.build(), HttpSettings.DEFAULT).headers();
  }

  @ParameterizedTest
  @CsvSource({
    "ALLOWED, 200",
    "NO_MATCHING_RULE, 200",
    "DISABLED, 200",
    "FAIL_OPEN, 200",
    "LOCAL_FALLBACK, 200",
    "LIMIT_EXCEEDED, 429",
    "WAIT_TIMEOUT, 429",
    "COST_EXCEEDS_CAPACITY, 429",
    "FAIL_CLOSED, 429",
    "BLOCKED, 403",
    "MISSING_IDENTITY, 403",
    "MISSING_RULE_SET, 503"
  })
  void everyReasonHasItsStatus(Reason reason, int status) {
    HttpDecision decision = HttpDecision.of(RateLimitResult.of(reason), HttpSettings.DEFAULT);
    assertThat(decision.status()).isEqualTo(status);
    assertThat(decision.allowed()).isEqualTo(status == 200);
  }

  @Test
  void failClosedHasTheConfiguredStatus() {
    RateLimitResult result = RateLimitResult.of(Reason.FAIL_CLOSED);
    assertThat(HttpDecision.of(result, new HttpSettings(true, false, 503)).status()).isEqualTo(503);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpSettings(true, false, 500))
        .withMessageContaining("500");
  }

  @Test
  void denyStatusReplacesOnlyThatOfDenials() {
    HttpDecision denied =
        HttpDecision.of(RateLimitResult.of(Reason.BLOCKED), HttpSettings.DEFAULT)
            .withDenyStatus(401);
    HttpDecision allowed =
        HttpDecision.of(RateLimitResult.of(Reason.ALLOWED), HttpSettings.DEFAULT)
            .withDenyStatus(401);
    assertThat(denied.status()).isEqualTo(401);
    assertThat(denied.problem().status()).isEqualTo(401);
    assertThat(allowed.status()).isEqualTo(200);
    assertThatIllegalArgumentException().isThrownBy(() -> denied.withDenyStatus(399));
    assertThatIllegalArgumentException().isThrownBy(() -> denied.withDenyStatus(600));
  }

  @Test
  void limitedResponseHasLimitRemainingAndResetRoundedUp() {
    assertThat(headers(limited(Reason.ALLOWED)))
        .containsExactly(
            entry("X-RateLimit-Limit", "10"),
            entry("X-RateLimit-Remaining", "4"),
            entry("X-RateLimit-Reset", "1001"));
    assertThat(headers(limited(Reason.LOCAL_FALLBACK))).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "412, 1", "1000, 1", "1001, 2", "59999, 60"})
  void denialHasRetryAfterInWholeSecondsRoundedUp(long millis, String seconds) {
    assertThat(headers(limited(Reason.LIMIT_EXCEEDED).retryAfter(Duration.ofMillis(millis))))
        .containsExactly(
            entry("X-RateLimit-Limit", "10"),
            entry("X-RateLimit-Remaining", "4"),
            entry("X-RateLimit-Reset", "1001"),
            entry("Retry-After", seconds),
            entry("X-RateLimit-Retry-After", seconds));
  }

  @Test
  void retryAfterIsRoundedUpFromMicroseconds() {
    assertThat(headers(limited(Reason.WAIT_TIMEOUT).retryAfter(Duration.ofNanos(1_000_001_000L))))
        .containsEntry("Retry-After", "2");
  }

  @Test
  void allowedResponseHasNoRetryAfter() {
    assertThat(headers(limited(Reason.ALLOWED).retryAfter(Duration.ofSeconds(3))))
        .doesNotContainKeys("Retry-After", "X-RateLimit-Retry-After");
  }

  @ParameterizedTest
  @EnumSource(names = {"NO_MATCHING_RULE", "DISABLED", "FAIL_OPEN"})
  void unlimitedResponseHasNoHeaders(Reason reason) {
    HttpSettings all = new HttpSettings(true, true, 429);
    assertThat(HttpDecision.of(limited(reason).build(), all).headers()).isEmpty();
  }

  @Test
  void anAllowRuleHasNoHeaders() {
    assertThat(headers(RateLimitResult.builder(Reason.ALLOWED).rule("api", "health"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"COST_EXCEEDS_CAPACITY", "BLOCKED", "MISSING_IDENTITY"})
  void denialThatWaitingCannotChangeHasNoRetryAfter(Reason reason) {
    RateLimitResult.Builder result = RateLimitResult.builder(reason).rule("api", "per-ip");
    assertThat(headers(result)).isEmpty();
    assertThat(HttpDecision.of(result.build(), PLAIN).retryAfterSeconds()).isEmpty();
  }

  @Test
  void costAboveTheCapacityStillShowsTheLimit() {
    assertThat(headers(limited(Reason.COST_EXCEEDS_CAPACITY)))
        .containsOnlyKeys("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
  }

  @ParameterizedTest
  @EnumSource(names = {"FAIL_CLOSED", "MISSING_RULE_SET"})
  void temporaryDenialsHaveRetryAfterOfOneSecond(Reason reason) {
    RateLimitResult result = RateLimitResult.of(reason);
    assertThat(HttpDecision.of(result, HttpSettings.DEFAULT).headers())
        .containsExactly(entry("Retry-After", "1"), entry("X-RateLimit-Retry-After", "1"));
    assertThat(HttpDecision.of(result, HttpSettings.DEFAULT).retryAfterSeconds()).hasValue(1);
  }

  @Test
  void retryAfterStaysWithoutLegacyHeaders() {
    RateLimitResult result =
        limited(Reason.LIMIT_EXCEEDED).retryAfter(Duration.ofMillis(1500)).build();
    assertThat(HttpDecision.of(result, PLAIN).headers()).containsExactly(entry("Retry-After", "2"));
  }
}
