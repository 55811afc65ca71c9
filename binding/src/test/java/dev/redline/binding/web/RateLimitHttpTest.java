package dev.redline.binding.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.RateLimitResult;
import dev.redline.core.Reason;
import dev.redline.core.internal.http.HttpSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RateLimitHttpTest {
  private final MapResponse response = new MapResponse();

  /** A response that is a map. */
  private static final class MapResponse implements LimitedResponse {
    final Map<String, String> fields = new TreeMap<>(Map.of("Vary", "Origin"));
    @Nullable RateLimitResult result;
    boolean committed;

    @Override
    public boolean isCommitted() {
      return committed;
    }

    @Override
    public @Nullable Object result() {
      return result;
    }

    @Override
    public void result(RateLimitResult decided) {
      result = decided;
    }

    @Override
    public void set(String name, String value) {
      fields.put(name, value);
    }

    @Override
    public void remove(Set<String> names) {
      assertThat(fields.keySet().removeAll(names)).isTrue();
    }

    @Override
    public void expose(String names) {}
  }

  private static RateLimitHttp http(DenialCustomizer... customizers) {
    return new RateLimitHttp(new HttpSettings(true, false, 429), List.of(customizers));
  }

  private static RateLimitResult allowed(long remaining) {
    return RateLimitResult.builder(Reason.ALLOWED)
        .band("one", 10, remaining, Instant.EPOCH)
        .build();
  }

  private static RateLimitResult exceeded() {
    return RateLimitResult.builder(Reason.LIMIT_EXCEEDED)
        .band("two", 5, 0, Instant.EPOCH)
        .retryAfter(Duration.ofSeconds(3))
        .build();
  }

  @ParameterizedTest
  @EnumSource(
      value = Reason.class,
      names = {"BLOCKED", "FAIL_CLOSED", "MISSING_IDENTITY", "MISSING_RULE_SET"})
  void denialWithoutNumbersRemovesThoseOfAnAllowedCheck(Reason reason) {
    RateLimitResult denied = RateLimitResult.of(reason);
    http().write(allowed(3), true, response);
    assertThat(response.fields).containsEntry("X-RateLimit-Remaining", "3");

    http().write(denied, true, response);

    assertThat(response.fields)
        .containsKey("Vary")
        .doesNotContainKeys("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
    assertThat(response.fields.containsKey("Retry-After"))
        .isEqualTo(reason == Reason.FAIL_CLOSED || reason == Reason.MISSING_RULE_SET);
  }

  @Test
  void smallerShareReplacesAndLargerDoesNot() {
    http().write(allowed(3), true, response);
    http().write(allowed(2), true, response);
    http().write(allowed(9), true, response);

    assertThat(response.fields).containsEntry("X-RateLimit-Remaining", "2");
  }

  @Test
  void allowedCheckWithoutNumbersReplacesNothing() {
    http().write(allowed(3), true, response);
    http().write(RateLimitResult.of(Reason.NO_MATCHING_RULE), true, response);

    assertThat(response.fields).containsEntry("X-RateLimit-Remaining", "3");
  }

  @Test
  void customizerRemovesFieldsThatTheDecisionHasSet() {
    RateLimitHttp http = http((denial, result) -> denial.header("retry-after", null));
    http.write(allowed(3), true, response);
    http.write(exceeded(), true, response);
    assertThat(response.fields).containsEntry("Retry-After", "3");

    http.write(http.denial(exceeded()), response);

    assertThat(response.fields)
        .doesNotContainKey("Retry-After")
        .containsEntry("X-RateLimit-Limit", "5")
        .containsEntry("X-RateLimit-Retry-After", "3");
  }

  @Test
  void committedResponseDoesNotChange() {
    response.committed = true;

    http().write(allowed(3), true, response);
    http().write(http().denial(exceeded()), response);

    assertThat(response.fields).containsOnlyKeys("Vary");
  }
}
