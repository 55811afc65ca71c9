package dev.redline.core.internal.http;

import static dev.redline.core.EngineFixture.perHour;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.redline.core.EngineFixture;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ProblemTest {
  private static HttpDecision http(RateLimitResult result) {
    return HttpDecision.of(result, HttpSettings.DEFAULT);
  }

  @Test
  void exceededQuotaNamesPoliciesRuleAndWait() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder()
                .id("per-tenant")
                .addBand(
                    RateLimitBand.builder()
                        .label("per-second")
                        .capacity(1)
                        .period(Duration.ofSeconds(1))
                        .build())
                .addBand(
                    RateLimitBand.builder()
                        .label("per-minute")
                        .capacity(100)
                        .period(Duration.ofMinutes(1))
                        .build()));
    fixture.check("/");

    assertThat(http(fixture.check("/")).problemJson())
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                + "\"status\":429,"
                + "\"detail\":\"The limit 'per-second' of 1 is exceeded; retry in 1000 ms.\","
                + "\"violated-policies\":[\"per-second\"],"
                + "\"ruleId\":\"per-tenant\",\"retryAfterMs\":1000}");
  }

  @Test
  void namesEveryDenyingBandAndNoOther() {
    EngineFixture fixture =
        EngineFixture.of(
            RateLimitRule.builder().id("a").addBand(perHour(1)).addBand(perHour(5)),
            RateLimitRule.builder().id("b").addBand(perHour(1)),
            RateLimitRule.builder().id("c").addBand(perHour(7)));
    fixture.check("/");
    assertThat(http(fixture.check("/")).problem().violatedPolicies()).containsExactly("a-1", "b");
  }

  @Test
  void aCostThatNeverFitsHasNoWait() {
    EngineFixture fixture = EngineFixture.of(EngineFixture.rule("small", 3));
    ProblemDetails problem =
        http(fixture.check(RequestContext.builder().path("/").cost(4).build())).problem();
    assertThat(problem.type()).endsWith("#quota-exceeded");
    assertThat(problem.violatedPolicies()).containsExactly("small");
    assertThat(problem.retryAfterMs()).isEmpty();
  }

  @Test
  void aPlanIsNamedInPlaceOfARule() {
    EngineFixture fixture =
        EngineFixture.of(EngineFixture.plans(RateLimitPlan.of("gold", perHour(1))));
    fixture.engine().allow("k", "gold");
    assertThat(http(fixture.engine().allow("k", "gold")).problemJson())
        .contains("\"violated-policies\":[\"gold\"],\"plan\":\"gold\",\"retryAfterMs\":3600000}");
  }

  @Test
  void aStoreFailureIsATemporarilyReducedCapacity() {
    RateLimitResult result =
        RateLimitResult.builder(Reason.FAIL_CLOSED).retryAfter(Duration.ofSeconds(1)).build();
    assertThat(http(result).problemJson())
        .startsWith(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\"")
        .contains("\"status\":429,")
        .endsWith("\"retryAfterMs\":1000}")
        .doesNotContain("violated-policies");
  }

  @ParameterizedTest
  @CsvSource({
    "408, Request Timeout",
    "414, URI Too Long",
    "431, Request Header Fields Too Large",
  })
  void titlesAreThePhrasesOfHttp(int status, String title) {
    assertThat(ProblemDetails.of(status, "x").title()).isEqualTo(title);
  }

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, 403, Forbidden",
    "MISSING_IDENTITY, 403, Forbidden",
    "MISSING_RULE_SET, 503, Service Unavailable"
  })
  void otherDenialsHaveNoProblemType(Reason reason, int status, String title) {
    ProblemDetails problem = http(RateLimitResult.of(reason)).problem();
    assertThat(problem.type()).isEqualTo("about:blank");
    assertThat(problem.status()).isEqualTo(status);
    assertThat(problem.title()).isEqualTo(title);
    assertThat(problem.toJson())
        .doesNotContain("violated-policies")
        .doesNotContain("ruleId")
        .doesNotContain("retryAfterMs");
  }

  @ParameterizedTest
  @EnumSource(names = {"ALLOWED", "NO_MATCHING_RULE", "DISABLED", "FAIL_OPEN", "LOCAL_FALLBACK"})
  void allowedResultHasNoProblemDocument(Reason reason) {
    HttpDecision decision = http(RateLimitResult.of(reason));
    assertThatIllegalStateException().isThrownBy(decision::problem);
  }

  @Test
  void reportedBandIsTheViolatedOneIfNoOtherIsKnown() {
    RateLimitResult remote =
        RateLimitResult.builder(Reason.LIMIT_EXCEEDED)
            .rule("s", "r")
            .band("hourly", 5, 0, Instant.EPOCH)
            .build();
    assertThat(http(remote).problem().violatedPolicies()).containsExactly("hourly");
  }

  @Test
  void anyErrorCanBeAProblemDocument() {
    assertThat(ProblemDetails.of(404, "no rule 'x\"y'").toJson())
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                + "\"detail\":\"no rule 'x\\\"y'\"}");
  }
}
