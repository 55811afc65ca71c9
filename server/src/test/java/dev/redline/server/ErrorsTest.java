package dev.redline.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ErrorsTest {
  private static final String RULES =
      """
      plans:
        - { id: gold, limit: 10/h }
      rules:
        - { id: per-user, path: /users/**, key: userId, limit: 2/h }
        - { id: pair, path: /pair, key: [ip, userId], limit: 2/h }
      """;

  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start(RULES, Map.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void serverStillAnswersChecks() {
    assertThat(server.post("/v1/check", "{\"request\":{}}").statusCode()).isEqualTo(200);
  }

  private static void assertProblem(HttpResponse<String> response, int status, String named) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    JsonNode problem = TestServer.json(response);
    assertThat(problem.get("status").asInt()).isEqualTo(status);
    assertThat(problem.get("type").asString()).isEqualTo("about:blank");
    assertThat(problem.get("title").asString()).isNotEmpty();
    assertThat(problem.get("detail").asString()).contains(named);
    assertThat(response.body()).doesNotContain("Exception").doesNotContain("\tat ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{                                                   | not valid JSON",
        "{\"request\":{}} x                                  | not valid JSON",
        "{\"request\":{}}{}                                  | after the JSON",
        "[]                                                  | object",
        "null                                                | object",
        "{\"request\":{},\"nonsense\":1}                     | nonsense",
        "{\"request\":{\"pth\":\"/x\"}}                      | request.pth",
        "{\"request\":{\"cost\":1}}                          | request.cost",
        "{\"request\":{},\"request\":{}}                     | request",
        "{\"request\":{\"path\":\"/a\",\"path\":\"/b\"}}     | request.path",
        "{\"request\":{\"headers\":{\"A\":\"1\",\"A\":\"2\"}}} | request.headers.A",
        "{\"request\":{\"path\":5}}                          | request.path",
        "{\"request\":{\"headers\":[]}}                      | request.headers",
        "{\"request\":{\"headers\":{\"X\":5}}}               | request.headers.X",
        "{\"request\":{\"attributes\":\"a\"}}                | request.attributes",
        "{\"request\":\"GET /\"}                             | request",
        "{\"request\":{\"clientIp\":\"localhost\"}}          | request.clientIp",
        "{\"request\":{\"clientIp\":\"1.2.3.4:80\"}}         | request.clientIp",
        "{\"request\":{\"clientIp\":\"\"}}                   | request.clientIp",
        "{}                                                  | three forms",
        "{\"cost\":1}                                        | three forms",
        "{\"ruleSetId\":\"default\"}                         | three forms",
        "{\"request\":null}                                  | three forms",
        "{\"request\":{},\"ruleId\":\"per-user\"}            | more than one",
        "{\"request\":{},\"plans\":[\"gold\"],\"key\":\"k\"} | more than one",
        "{\"ruleId\":\"per-user\",\"identity\":\"u\",\"key\":\"k\"} | more than one",
        "{\"ruleSetId\":\"default\",\"ruleId\":\"per-user\",\"identity\":\"u\"} | ruleSetId",
        "{\"ruleSetId\":\"default\",\"plans\":[\"gold\"],\"key\":\"k\"} | ruleSetId",
        "{\"ruleSetId\":\"\",\"request\":{}}                 | ruleSetId",
        "{\"request\":{},\"cost\":0}                         | cost",
        "{\"request\":{},\"cost\":-1}                        | cost",
        "{\"request\":{},\"cost\":1.5}                       | cost",
        "{\"request\":{},\"cost\":\"1\"}                     | cost",
        "{\"request\":{},\"cost\":1000000000001}             | cost",
        "{\"request\":{},\"cost\":99999999999999999999999}   | cost",
        "{\"request\":{},\"dryRun\":\"yes\"}                 | dryRun",
        "{\"identity\":\"u\"}                                | ruleId",
        "{\"ruleId\":5,\"identity\":\"u\"}                   | ruleId",
        "{\"ruleId\":\"per-user\"}                           | identity",
        "{\"ruleId\":\"per-user\",\"identity\":\"\"}         | identity",
        "{\"ruleId\":\"per-user\",\"identity\":[]}           | identity",
        "{\"ruleId\":\"per-user\",\"identity\":[\"a\",\"b\"]} | identity",
        "{\"ruleId\":\"per-user\",\"identity\":[null]}       | identity",
        "{\"ruleId\":\"per-user\",\"identity\":7}            | identity",
        "{\"ruleId\":\"pair\",\"identity\":[\"nowhere\",\"u\"]} | identity",
        "{\"ruleId\":\"per-user\",\"identity\":\"u\",\"limit\":\"1/s\"} | limit",
        "{\"ruleId\":\"per-user\",\"identity\":\"u\",\"bands\":[]} | bands",
        "{\"plans\":[],\"key\":\"k\"}                        | plans",
        "{\"plans\":\"gold\",\"key\":\"k\"}                  | plans",
        "{\"plans\":[\"gold\"]}                              | key",
        "{\"plans\":[\"gold\"],\"key\":\"\"}                 | key",
        "{\"key\":\"k\"}                                     | plans",
      })
  void reportsTheMistakeInABody(String body, String named) {
    assertProblem(server.post("/v1/check", body), 400, named);
    assertProblem(server.post("/v1/explain", body), 400, named);
  }

  @Test
  void rejectsEmptyBody() {
    assertProblem(server.post("/v1/check", ""), 400, "empty");
  }

  @Test
  void rejectsBodyThatIsNotUtf8() {
    byte[] latin1 = "{\"request\":{\"userId\":\"é\"}}".getBytes(StandardCharsets.ISO_8859_1);
    assertProblem(
        server.send(
            HttpRequest.newBuilder(server.uri("/v1/check"))
                .POST(BodyPublishers.ofByteArray(latin1))),
        400,
        "not valid JSON");
  }

  @Test
  void rejectsDeepNesting() {
    String deep = "[".repeat(100_000);
    assertProblem(
        server.post("/v1/check", "{\"request\":{\"headers\":" + deep), 400, "request.headers");
    assertProblem(server.post("/v1/check", "{\"limit\":" + deep), 400, "");
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 2000, 500_000})
  @Timeout(10)
  void namesTheFieldOfAVeryLongNumber(int digits) {
    String number = "9".repeat(digits);
    assertProblem(
        server.post("/v1/check", "{\"request\":{},\"cost\":" + number + "}"),
        400,
        "cost: must be a whole number from 1 to");
    assertProblem(
        server.post("/v1/check", "{\"request\":{},\"cost\":-" + number + "}"), 400, "cost: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9", "[9", "{\"capacity\":9", "0.1", "1e1"})
  @Timeout(10)
  void namesTheLimitWithAVeryLongNumber(String start) {
    assertProblem(
        server.post(
            "/v1/check", "{\"ruleId\":\"per-user\",\"limit\":" + start + "1".repeat(500_000)),
        400,
        "limit: has a number of more than 100 characters");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"ruleId\":\"nobody\",\"identity\":\"u\"}       | rule 'nobody'",
        "{\"plans\":[\"gold\",\"tin\"],\"key\":\"k\"}     | plan 'tin'",
        "{\"ruleSetId\":\"nowhere\",\"request\":{}}       | rule set 'nowhere'",
      })
  void unknownNameIsNotFound(String body, String named) {
    assertProblem(server.post("/v1/check", body), 404, named);
    assertProblem(server.post("/v1/explain", body), 404, named);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/v1", "/v1/check/", "/v1/checks", "/actuator/health", "/v1/%63heck"})
  void unknownPathIsNotFound(String path) {
    assertProblem(server.post(path, "{\"request\":{}}"), 404, path);
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v1/check",
    "PUT,/v1/check",
    "DELETE,/v1/check/batch",
    "OPTIONS,/v1/check",
    "PATCH,/v1/explain",
    "BREW,/v1/explain"
  })
  void rejectsMethodsOtherThanPost(String method, String path) {
    HttpResponse<String> response =
        server.send(
            HttpRequest.newBuilder(server.uri(path)).method(method, BodyPublishers.noBody()));

    assertProblem(response, 405, method);
    assertThat(response.headers().firstValue("Allow")).hasValue("POST");
  }

  @Test
  void rejectsHeadWithoutBody() {
    HttpResponse<String> response =
        server.send(
            HttpRequest.newBuilder(server.uri("/v1/check"))
                .method("HEAD", BodyPublishers.noBody()));

    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(response.body()).isEmpty();
  }

  private static HttpResponse<String> typed(String type) {
    return server.send(
        HttpRequest.newBuilder(server.uri("/v1/check"))
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString("{\"request\":{}}")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/json; charset=iso-8859-1"
      })
  void rejectsContentTypesOtherThanJson(String type) {
    assertProblem(typed(type), 415, "application/json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON;charset=\"UTF-8\"",
        "application/vnd.acme+json"
      })
  void acceptsEverySpellingOfTheJsonContentType(String type) {
    assertThat(typed(type).statusCode()).isEqualTo(200);
  }

  @Test
  void treatsMissingContentTypeAsJson() {
    HttpResponse<String> response =
        server.send(
            HttpRequest.newBuilder(server.uri("/v1/check"))
                .POST(BodyPublishers.ofString("{\"request\":{}}")));

    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void rejectsCompressedBody() {
    HttpResponse<String> response =
        server.send(
            HttpRequest.newBuilder(server.uri("/v1/check"))
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofString("{\"request\":{}}")));

    assertProblem(response, 415, "gzip");
  }

  private static String padded(int size) {
    String start = "{\"request\":{\"userId\":\"";
    String end = "\"}}";
    return start + "u".repeat(size - start.length() - end.length()) + end;
  }

  @Test
  void acceptsBodyOfOneMebibyteAndRejectsOneByteMore() {
    assertThat(server.post("/v1/check", padded(1 << 20)).statusCode()).isEqualTo(200);
    assertProblem(server.post("/v1/check", padded((1 << 20) + 1)), 413, "1048576");
    assertProblem(server.post("/v1/check", padded(3 << 20)), 413, "1048576");
  }

  @Test
  void rejectsLargeBodyOfUndeclaredLength() {
    byte[] body = padded((1 << 20) + 1).getBytes(StandardCharsets.UTF_8);
    HttpResponse<String> response =
        server.send(
            HttpRequest.newBuilder(server.uri("/v1/check"))
                .POST(BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(body))));

    assertProblem(response, 413, "1048576");
  }

  /** Returns a check with a field that has many entries; {@code end} is the text after them. */
  private static String entries(String field, int count, String end) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"n" + i + "\":\"v\"")
        .collect(Collectors.joining(",", "{\"request\":{\"" + field + "\":{", end));
  }

  @ParameterizedTest
  @ValueSource(strings = {"headers", "attributes"})
  void rejectsTooManyEntriesWithoutReadingTheRest(String field) {
    assertThat(server.post("/v1/check", entries(field, 1000, "}}}")).statusCode()).isEqualTo(200);
    assertProblem(
        server.post("/v1/check", entries(field, 1001, "}}}")),
        400,
        "request." + field + ": must have at most 1000 entries");
    assertProblem(
        server.post("/v1/check", entries(field, 40_000, "not JSON")), 400, "at most 1000 entries");
  }

  private static String raw(String bytes) throws IOException {
    try (Socket socket = new Socket("localhost", server.server().port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      InputStream in = socket.getInputStream();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      })
  void answersMalformedHttpWithProblemAndClosesTheConnection(String bytes) throws IOException {
    String answer = raw(bytes);

    assertThat(answer).startsWith("HTTP/1.").contains("application/problem+json");
    assertThat(answer).containsPattern("^HTTP/1.\\d 400 ");
    assertThat(answer).doesNotContain("Exception");
  }

  @Test
  void rejectsEndlessHeaders() throws IOException {
    String answer =
        raw("GET /v1/check HTTP/1.1\r\nHost: x\r\nX-Big: " + "x".repeat(100_000) + "\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 431").contains("application/problem+json");
  }

  @Test
  void answersExpectContinue() throws IOException {
    String head = "POST /v1/check HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n";

    assertThat(raw(head + "Connection: close\r\nContent-Length: 14\r\n\r\n{\"request\":{}}"))
        .startsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK");
    assertThat(raw(head + "Content-Length: 9000000\r\n\r\n")).startsWith("HTTP/1.1 413");
  }

  @Test
  void answersPipelinedRequestsInOrder() throws IOException {
    String good =
        "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 14\r\n\r\n{\"request\":{}}";
    String bad = "POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    String last = good.replace("Host: x", "Host: x\r\nConnection: close");

    String answers = raw(good + bad + good + last);

    assertThat(answers.split("HTTP/1.1 ", -1))
        .satisfiesExactly(
            before -> assertThat(before).isEmpty(),
            answer -> assertThat(answer).startsWith("200"),
            answer -> assertThat(answer).startsWith("400"),
            answer -> assertThat(answer).startsWith("200"),
            answer -> assertThat(answer).startsWith("200"));
  }
}
