package dev.redline.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.behaviour.LoopbackClient.Response;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Which header fields a response has if a filter allowed the request and an annotated method is
 * denied then. A test class implements this with an application that has the {@linkplain
 * #properties properties}, and endpoints whose methods are limited:
 *
 * <ul>
 *   <li>{@code GET /denials/blocked} by the rule set {@code closed};
 *   <li>{@code GET /denials/fallback} likewise, with a fallback that returns {@code closed};
 *   <li>{@code GET /denials/customized?user=U} by {@code 1/m} of each user, with the id {@code
 *       customized}.
 * </ul>
 *
 * <p>{@code GET /denials/filter} exists. A {@code DenialCustomizer} removes {@code
 * X-RateLimit-Reset} and sets {@code Retry-After} to 7 in denials by the rules {@code customized}
 * and {@code customized-filter}.
 */
public interface DenialBehaviour {
  /** Returns the address of the running application, on the loopback interface. */
  URI baseUri();

  /**
   * Returns the properties of the application.
   *
   * @param rule the index of the first rule
   * @param ruleSet the index of the first rule set
   */
  static Map<String, String> properties(int rule, int ruleSet) {
    Map<String, String> properties = new LinkedHashMap<>();
    String filter = "rl.rules[" + rule + "].";
    properties.put(filter + "id", "customized-filter");
    properties.put(filter + "path", "/denials/filter");
    properties.put(filter + "key", "ip");
    properties.put(filter + "limit", "1/m");
    String others = "rl.rules[" + (rule + 1) + "].";
    properties.put(others + "id", "denials");
    properties.put(others + "path", "/denials/**");
    properties.put(others + "key", "ip");
    properties.put(others + "limit", "100/m");
    String closed = "rl.rule-sets[" + ruleSet + "].";
    properties.put(closed + "id", "closed");
    properties.put(closed + "rules[0].id", "closed");
    properties.put(closed + "rules[0].action", "DENY");
    properties.put("rl.default-rule-set-id", "default");
    properties.put("rl.headers.ietf", "true");
    return properties;
  }

  private static void assertNoFields(Response response) {
    assertThat(response.headers().keySet())
        .as(response.toString())
        .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"))
        .doesNotContain("Retry-After");
  }

  /** A denial without numbers replaces the numbers of the filter. */
  @Test
  default void denialWithoutNumbersHasNoFieldsOfTheFilter() {
    Response denied = new LoopbackClient(baseUri()).get("/denials/blocked");

    assertThat(denied.status()).as(denied.toString()).isEqualTo(403);
    assertThat(denied.header("Content-Type")).startsWith("application/problem+json");
    assertThat(denied.body()).contains("\"ruleId\":\"closed\"");
    assertNoFields(denied);
  }

  /** The response of a fallback has the fields of the denial, so here none. */
  @Test
  default void fallbackOfADenialWithoutNumbersHasNoFieldsOfTheFilter() {
    Response fallback = new LoopbackClient(baseUri()).get("/denials/fallback");

    assertThat(fallback.status()).as(fallback.toString()).isEqualTo(200);
    assertThat(fallback.body()).isEqualTo("closed");
    assertNoFields(fallback);
  }

  /** A customizer changes the denial of a filter. */
  @Test
  default void customizerRemovesAFieldOfAFiltersDenial() {
    LoopbackClient client = new LoopbackClient(baseUri());
    assertThat(client.get("/denials/filter").headers()).containsKey("X-RateLimit-Reset");

    assertCustomized(client.get("/denials/filter"));
  }

  /** A customizer changes the denial of an annotated method in the same way. */
  @Test
  default void customizerRemovesAFieldOfAMethodsDenial() {
    LoopbackClient client = new LoopbackClient(baseUri());
    String path = "/denials/customized?user=" + UUID.randomUUID();
    assertThat(client.get(path).headers()).containsKey("X-RateLimit-Reset");

    assertCustomized(client.get(path));
  }

  private static void assertCustomized(Response denied) {
    assertThat(denied.status()).as(denied.toString()).isEqualTo(429);
    assertThat(denied.headers())
        .as(denied.toString())
        .doesNotContainKey("X-RateLimit-Reset")
        .containsEntry("Retry-After", "7")
        .containsEntry("X-RateLimit-Limit", "1")
        .containsKeys("RateLimit", "RateLimit-Policy");
  }

  /** Other header fields of the response stay, also where the container resets it. */
  @Test
  default void denialKeepsOtherFields() {
    Response denied =
        new LoopbackClient(baseUri())
            .send("GET", "/denials/blocked", List.of("Origin: https://shop.example"));

    assertThat(denied.header("Access-Control-Expose-Headers"))
        .as(denied.toString())
        .contains("X-RateLimit-Remaining");
  }
}
