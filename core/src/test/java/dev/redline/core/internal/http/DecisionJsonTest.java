package dev.redline.core.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineFixture;
import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.rule.RateLimitPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DecisionJsonTest {
  private static String json(RateLimitResult result) {
    return DecisionJson.write(new StringBuilder(), result).toString();
  }

  @Test
  void fieldsAreInTheOrderOfTheDocumentation() {
    RateLimitResult result =
        RateLimitResult.builder(Reason.LIMIT_EXCEEDED)
            .rule("api-limits", "per-tenant")
            .band("per-minute", 100, 0, Instant.ofEpochMilli(1_763_230_059_412L))
            .retryAfter(Duration.ofMillis(412))
            .shadowDenied(List.of("new-rule"))
            .degraded(true)
            .build();
    assertThat(json(result))
        .isEqualTo(
            "{\"allowed\":false,\"reason\":\"LIMIT_EXCEEDED\",\"ruleSetId\":\"api-limits\","
                + "\"ruleId\":\"per-tenant\",\"band\":\"per-minute\",\"limit\":100,\"remaining\":0,"
                + "\"retryAfterMs\":412,\"resetAtMs\":1763230059412,"
                + "\"shadowDenied\":[\"new-rule\"],\"degraded\":true}");
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void fieldsThatDoNotApplyAreAbsent(Reason reason) {
    assertThat(json(RateLimitResult.of(reason)))
        .isEqualTo("{\"allowed\":" + reason.allowed() + ",\"reason\":\"" + reason.name() + "\"}");
  }

  @Test
  void aPlanTakesThePlaceOfTheRule() {
    EngineFixture fixture =
        EngineFixture.of(EngineFixture.plans(RateLimitPlan.of("gold", EngineFixture.perHour(10))));
    assertThat(json(fixture.engine().allow("user:1", "gold")))
        .isEqualTo(
            "{\"allowed\":true,\"reason\":\"ALLOWED\",\"plan\":\"gold\",\"band\":\"gold\","
                + "\"limit\":10,\"remaining\":9,\"resetAtMs\":"
                + (EngineFixture.START / 1000 + 360_000)
                + "}");
  }

  @Test
  void timesAreRoundedUpToWholeMilliseconds() {
    RateLimitResult result =
        RateLimitResult.builder(Reason.LIMIT_EXCEEDED)
            .rule("s", "r")
            .band("b", 1, 0, Instant.ofEpochSecond(1, 1_001_000))
            .retryAfter(Duration.ofNanos(1_000))
            .build();
    assertThat(json(result)).contains("\"retryAfterMs\":1,").contains("\"resetAtMs\":1002}");
  }

  @Test
  void escapesTextsOfCallers() {
    RateLimitResult result =
        RateLimitResult.builder(Reason.BLOCKED)
            .rule("a\"b", "c\\d")
            .shadowDenied(List.of("e\nf", "g"))
            .build();
    assertThat(json(result))
        .isEqualTo(
            "{\"allowed\":false,\"reason\":\"BLOCKED\",\"ruleSetId\":\"a\\\"b\","
                + "\"ruleId\":\"c\\\\d\",\"shadowDenied\":[\"e\\nf\",\"g\"]}");
  }
}
