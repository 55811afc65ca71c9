package dev.redline.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.binding.web.RateLimitHttp;
import dev.redline.core.RateLimitResult;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.ResultMatcher;

/**
 * What a test with MockMvc expects of the limits of a request, with any setting of headers:
 *
 * <pre>{@code
 * mvc.perform(get("/orders")).andExpect(allowed(5, 4));
 * }</pre>
 */
public final class MockMvcRateLimits {
  private MockMvcRateLimits() {}

  /** Expects a request that was counted and allowed. */
  public static ResultMatcher allowed() {
    return result -> {
      assertThat(decision(result).allowed()).as(describe(result)).isTrue();
      assertThat(decision(result).limit()).as("limit of " + describe(result)).isPresent();
    };
  }

  /** Expects a request that was counted and allowed, with the numbers of the reported limit. */
  public static ResultMatcher allowed(long limit, long remaining) {
    return result -> {
      allowed().match(result);
      RateLimitResult decision = decision(result);
      assertThat(decision.limit()).as("limit of " + decision).hasValue(limit);
      assertThat(decision.remaining()).as("remaining of " + decision).hasValue(remaining);
    };
  }

  /** Expects a request that was denied. */
  public static ResultMatcher denied() {
    return result -> {
      assertThat(decision(result).allowed()).as(describe(result)).isFalse();
      assertThat(result.getResponse().getStatus()).as("status").isGreaterThanOrEqualTo(400);
    };
  }

  /** Expects a request that a rule denied; the rule of {@code @RateLimit} has its id. */
  public static ResultMatcher deniedBy(String ruleId) {
    return result -> {
      denied().match(result);
      assertThat(decision(result).ruleId()).as("rule").contains(ruleId);
    };
  }

  /** Expects a request to which no limit applied. */
  public static ResultMatcher notLimited() {
    return result -> {
      Object decision = result.getRequest().getAttribute(RateLimitHttp.RESULT);
      assertThat(decision instanceof RateLimitResult known && known.limit().isPresent())
          .as("limited by " + decision)
          .isFalse();
    };
  }

  private static RateLimitResult decision(MvcResult result) {
    Object decision = result.getRequest().getAttribute(RateLimitHttp.RESULT);
    assertThat(decision)
        .as("no limit applied to " + result.getRequest().getRequestURI())
        .isInstanceOf(RateLimitResult.class);
    return (RateLimitResult) decision;
  }

  private static String describe(MvcResult result) {
    return result.getRequest().getRequestURI() + ": " + decision(result);
  }
}
