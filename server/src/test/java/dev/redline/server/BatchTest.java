package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class BatchTest {
  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start("plans: [{ id: five, limit: 5/d }]\nrules: []\n", Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String take(String key, int cost) {
    return "{\"plans\":[\"five\"],\"key\":\"" + key + "\",\"cost\":" + cost + "}";
  }

  @Test
  void laterChecksSeeEarlierOnes() {
    String body = "{\"checks\":[" + take("a", 3) + "," + take("a", 4) + "," + take("a", 2) + "]}";

    HttpResponse<String> response = server.post("/v1/check/batch", body);

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
    JsonNode decisions = TestServer.json(response).get("decisions");
    assertThat(decisions)
        .extracting(decision -> decision.get("allowed").asBoolean())
        .containsExactly(true, false, true);
    assertThat(decisions.get(2).get("remaining").asInt()).isZero();
  }

  @Test
  void reportsInvalidItemAtItsIndexAndChecksTheOthers() {
    String body =
        "{\"checks\":["
            + take("b", 1)
            + ",{\"plans\":[\"tin\"],\"key\":\"k\"}"
            + ",{\"request\":{\"nonsense\":{\"deep\":[1,{\"a\":2}]}},\"cost\":1}"
            + ",17,null,[[]]"
            + ",{}"
            + ",{\"ruleId\":\"nobody\",\"identity\":\"x\"}"
            + ","
            + take("b", 1)
            + "]}";

    JsonNode decisions = server.ask("/v1/check/batch", body).get("decisions");

    assertThat(decisions).hasSize(9);
    assertThat(decisions.get(0).get("remaining").asInt()).isEqualTo(4);
    assertError(decisions.get(1), 404, "tin");
    assertError(decisions.get(2), 400, "request.nonsense");
    assertError(decisions.get(3), 400, "a number");
    assertError(decisions.get(4), 400, "null");
    assertError(decisions.get(5), 400, "a list");
    assertError(decisions.get(6), 400, "three forms");
    assertError(decisions.get(7), 404, "nobody");
    assertThat(decisions.get(8).get("remaining").asInt()).isEqualTo(3);
  }

  @Test
  void reportsLongNamesLongNumbersAndDeepNestingAtTheirItems() {
    String key = "\"plans\":[\"five\"],\"key\":\"long\"";
    String body =
        "{\"checks\":["
            + take("long", 1)
            + ",{\"cost\":"
            + "9".repeat(1001)
            + "}"
            + ",{\"cost\":1."
            + "9".repeat(1001)
            + "}"
            + ",{\"plans\":"
            + "9".repeat(500_000)
            + "}"
            + ",{\""
            + "x".repeat(50_001)
            + "\":1}"
            + ",{\"request\":"
            + "[".repeat(100_000)
            + "]".repeat(100_000)
            + ",\"cost\":1}"
            + ",{"
            + key
            + ",\"cost\":-"
            + "9".repeat(1001)
            + "}"
            + ","
            + take("long", 1)
            + "]}";

    JsonNode decisions = server.ask("/v1/check/batch", body).get("decisions");

    assertThat(decisions).hasSize(8);
    assertThat(decisions.get(0).get("remaining").asInt()).isEqualTo(4);
    assertError(decisions.get(1), 400, "cost");
    assertError(decisions.get(2), 400, "cost");
    assertError(decisions.get(3), 400, "plans");
    assertError(decisions.get(4), 400, "xxx");
    assertError(decisions.get(5), 400, "request");
    assertError(decisions.get(6), 400, "cost");
    assertThat(decisions.get(7).get("remaining").asInt()).isEqualTo(3);
  }

  private static void assertError(JsonNode decision, int status, String named) {
    assertThat(decision.propertyNames()).containsExactly("error");
    JsonNode error = decision.get("error");
    assertThat(error.propertyNames()).containsExactly("status", "title", "detail");
    assertThat(error.get("status").asInt()).isEqualTo(status);
    assertThat(error.get("detail").asString()).contains(named);
  }

  @Test
  void acceptsThousandChecksAndRejectsOneMore() {
    String item = "{\"request\":{}}";
    String thousand = String.join(",", Collections.nCopies(1000, item));
    assertThat(server.ask("/v1/check/batch", "{\"checks\":[" + thousand + "]}").get("decisions"))
        .hasSize(1000);

    String taking = String.join(",", Collections.nCopies(1001, take("c", 1)));
    HttpResponse<String> response = server.post("/v1/check/batch", "{\"checks\":[" + taking + "]}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(TestServer.json(response).get("detail").asString())
        .contains("checks")
        .contains("1000");
    assertThat(server.ask("/v1/check", take("c", 1)).get("remaining").asInt()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"checks\":[]}",
        "{\"checks\":null}",
        "{\"checks\":{}}",
        "{\"checks\":[{\"request\":{}}],\"checks\":[]}"
      })
  void rejectsBatchWithoutChecks(String body) {
    HttpResponse<String> response = server.post("/v1/check/batch", body);

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(TestServer.json(response).get("detail").asString()).contains("checks");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"checks\":[{\"x\":1]}", "{\"checks\":[{\"request\":{}}", "{\"cheks\":[]}"})
  void rejectsMalformedBatch(String body) {
    assertThat(server.post("/v1/check/batch", body).statusCode()).isEqualTo(400);
  }
}
