package dev.redline.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec;
import org.springframework.test.web.reactive.server.WebTestClient.ResponseSpec.ResponseSpecConsumer;

/**
 * What a test with WebTestClient expects of the limits of a request, by the {@code X-RateLimit-*}
 * header fields of its response:
 *
 * <pre>{@code
 * client.get().uri("/orders").exchange().expectAll(allowed(5, 4));
 * }</pre>
 */
public final class WebTestClientRateLimits {
  private static final String LIMIT = "X-RateLimit-Limit";
  private static final String REMAINING = "X-RateLimit-Remaining";
  private static final String RETRY_AFTER = "Retry-After";

  private WebTestClientRateLimits() {}

  /** Expects a request that was counted and allowed. */
  public static ResponseSpecConsumer allowed() {
    return response -> {
      assertThat(header(response, LIMIT)).as(LIMIT).isNotNull();
      assertThat(header(response, RETRY_AFTER)).as(RETRY_AFTER).isNull();
    };
  }

  /** Expects a request that was counted and allowed, with the numbers of the reported limit. */
  public static ResponseSpecConsumer allowed(long limit, long remaining) {
    return response -> {
      allowed().accept(response);
      assertThat(header(response, LIMIT)).as(LIMIT).isEqualTo(Long.toString(limit));
      assertThat(header(response, REMAINING)).as(REMAINING).isEqualTo(Long.toString(remaining));
    };
  }

  /** Expects a request that was denied because a limit was exceeded. */
  public static ResponseSpecConsumer denied() {
    return response -> {
      assertThat(result(response).getStatus().value()).as("status").isEqualTo(429);
      assertThat(header(response, RETRY_AFTER)).as(RETRY_AFTER).isNotNull();
    };
  }

  /**
   * Expects a request that a rule denied; the rule of {@code @RateLimit} has its id. Reads the
   * body, so that no other expectation can.
   */
  public static ResponseSpecConsumer deniedBy(String ruleId) {
    return response -> {
      denied().accept(response);
      List<String> body = result(response).getResponseBody().collectList().block();
      assertThat(body == null ? "" : String.join("", body))
          .as("body")
          .contains("\"ruleId\":\"" + ruleId + "\"");
    };
  }

  /** Expects a request to which no limit applied. */
  public static ResponseSpecConsumer notLimited() {
    return response -> assertThat(header(response, LIMIT)).as(LIMIT).isNull();
  }

  /** Other assertions of Spring have another signature in each of its versions. */
  private static FluxExchangeResult<String> result(ResponseSpec response) {
    return response.returnResult(String.class);
  }

  private static @Nullable String header(ResponseSpec response, String name) {
    return result(response).getResponseHeaders().getFirst(name);
  }
}
