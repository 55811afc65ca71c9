package dev.redline.server.admin;

import static dev.redline.server.admin.AdminClient.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.server.LogLines;
import dev.redline.server.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class RulesTest {
  private static final String RULE =
      "{\"id\":\"new\",\"path\":\"/new/**\",\"key\":\"ip\",\"limit\":\"3/d\"}";

  private TestServer server;
  private AdminClient admin;

  @BeforeEach
  void start() throws IOException {
    server = TestServer.start(AdminClient.RULES, AdminClient.tokens());
    admin = AdminClient.editor(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int check(String path) {
    String body = "{\"request\":{\"path\":\"" + path + "\",\"clientIp\":\"192.0.2.1\"}}";
    return server.post("/v1/check", body).statusCode();
  }

  private List<String> ids() {
    List<String> ids = new ArrayList<>();
    admin.json("rules").get("rules").forEach(rule -> ids.add(rule.get("id").asString()));
    return ids;
  }

  private static Optional<String> header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name);
  }

  @Test
  void listsRulesInForceWithTheirVersion() {
    JsonNode rules = admin.json("rules");

    assertThat(rules.get("version").asLong()).isEqualTo(4);
    assertThat(ids()).containsExactly("per-ip", "per-user");
    assertThat(rules.get("rules").get(1).get("ruleSetId").asString()).isEqualTo("orders");
    assertThat(rules.get("rules").get(1).get("bands").get(0).get("capacity").asInt()).isEqualTo(2);
  }

  @Test
  void rejectsIdThatIsAnotherEndpoint() {
    HttpResponse<String> rejected =
        admin.post("rules", "{\"id\":\"errors\",\"path\":\"/x\",\"limit\":\"3/d\"}");

    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("reserved");
  }

  @Test
  void answersValidationsBeyondTheLimitWithRetryAfter() {
    String rule = "{\"id\":\"r%d\",\"path\":\"/x%d\",\"limit\":\"3/d\"}";
    String document =
        java.util.stream.IntStream.range(0, 15_000)
            .mapToObj(i -> rule.formatted(i, i))
            .collect(java.util.stream.Collectors.joining(",", "{\"rules\":[", "]}"));
    List<java.util.concurrent.CompletableFuture<HttpResponse<String>>> validations =
        java.util.stream.IntStream.range(0, 8)
            .mapToObj(
                i ->
                    java.util.concurrent.CompletableFuture.supplyAsync(
                        () -> admin.post("validate", document)))
            .toList();
    assertThat(validations)
        .allSatisfy(
            validation -> {
              HttpResponse<String> response = validation.join();
              assertThat(response.statusCode()).isIn(200, 503);
              if (response.statusCode() == 503) {
                assertThat(header(response, "Retry-After")).isPresent();
              }
            })
        .anySatisfy(validation -> assertThat(validation.join().statusCode()).isEqualTo(200));
    assertThat(admin.post("validate", "{\"rules\":[]}").statusCode()).isEqualTo(200);
  }

  @Test
  void postedRuleDecidesAtOnce() {
    HttpResponse<String> created = admin.post("rules", RULE);

    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
    assertThat(header(created, "Location")).hasValue("/admin/v1/rules/new");
    assertThat(TestServer.json(created).get("id").asString()).isEqualTo("new");
    assertThat(header(created, "ETag")).hasValue(admin.etag("new"));
    assertThat(admin.version()).isEqualTo(5);
    assertThat(List.of(check("/new/x"), check("/new/x"), check("/new/x"), check("/new/x")))
        .containsExactly(200, 200, 200, 429);
  }

  @Test
  void rejectsPostOfExistingRuleOfAnySource() {
    admin.post("rules", RULE);

    problem(admin.post("rules", RULE), 409);
    problem(admin.post("rules", RULE.replace("new", "per-ip")), 409);
    assertThat(admin.version()).isEqualTo(5);
  }

  @Test
  void reportsEveryMistakeOfARuleWithItsLocation() {
    HttpResponse<String> rejected =
        admin.post("rules", "{\"id\":\"new\",\n\"lmit\":\"3/d\",\n\"cost\":0,\"plan\":\"gild\"}");

    JsonNode errors = problem(rejected, 400).get("errors");
    Map<String, JsonNode> byField = new HashMap<>();
    errors.forEach(error -> byField.put(error.get("field").asString(), error));
    assertThat(byField.get("lmit").get("suggestion").asString()).isEqualTo("limit");
    assertThat(byField.get("lmit").get("line").asInt()).isEqualTo(2);
    assertThat(byField.get("lmit").get("rule").asString()).isEqualTo("new");
    assertThat(byField.get("cost").get("value").asString()).isEqualTo("0");
    assertThat(byField.get("plan").get("suggestion").asString()).isEqualTo("gold");
    assertThat(byField.get("plan").get("message").asString()).contains("unknown plan 'gild'");
    assertThat(admin.version()).isEqualTo(4);
  }

  @Test
  void rejectsInvalidRuleBody() {
    for (String body :
        List.of(
            "",
            "{",
            "[]",
            "{}",
            "null",
            RULE + "," + RULE,
            RULE + RULE,
            "{\"id\":\"${HOME}\"}",
            "id: a")) {
      JsonNode problem = problem(admin.post("rules", body), 400);
      assertThat(problem.get("errors")).as(body).isNotEmpty();
      assertThat(problem.get("errors").get(0).get("message").asString())
          .isNotEmpty()
          .doesNotContain("StreamReadFeature", "DeserializationFeature", "JsonNode");
    }
  }

  @Test
  void acceptsPlanOfTheFile() {
    HttpResponse<String> created =
        admin.post("rules", "{\"id\":\"new\",\"path\":\"/new\",\"plan\":\"gold\"}");

    assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
  }

  @Test
  void showsRuleWithETagAndHonoursIfNoneMatch() {
    HttpResponse<String> shown = admin.get("rules/per-user");
    assertThat(shown.statusCode()).isEqualTo(200);
    assertThat(TestServer.json(shown).get("ruleSetId").asString()).isEqualTo("orders");

    String etag = header(shown, "ETag").orElseThrow();
    assertThat(server.send(admin.request("rules/per-user").header("If-None-Match", etag)))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(304);
    problem(admin.get("rules/nobody"), 404);
  }

  @Test
  void replacedRuleOfTheFileDecidesAtOnce() {
    String changed =
        TestServer.json(admin.get("rules/per-ip"))
            .toString()
            .replace("\"capacity\":1", "\"capacity\":2");
    HttpResponse<String> replaced = admin.put("per-ip", admin.etag("per-ip"), changed);

    assertThat(replaced.statusCode()).as(replaced.body()).isEqualTo(200);
    assertThat(header(replaced, "ETag")).hasValue(admin.etag("per-ip"));
    assertThat(List.of(check("/api/x"), check("/api/x"), check("/api/x")))
        .containsExactly(200, 200, 429);
  }

  @Test
  void ruleOfTheFileCanBeDisabledButNotDeleted() {
    JsonNode problem = problem(admin.delete("per-ip", admin.etag("per-ip")), 409);
    assertThat(problem.get("detail").asString()).contains("\"enabled\": false");

    String disabled = "{\"path\":\"/api/**\",\"limit\":\"1/d\",\"enabled\":false}";
    assertThat(admin.put("per-ip", admin.etag("per-ip"), disabled).statusCode()).isEqualTo(200);
    assertThat(List.of(check("/api/x"), check("/api/x"))).containsExactly(200, 200);

    assertThat(admin.delete("per-ip", admin.etag("per-ip")).statusCode()).isEqualTo(204);
    assertThat(admin.get("rules/per-ip").statusCode()).as("as the file has it").isEqualTo(200);
    assertThat(List.of(check("/api/x"), check("/api/x"))).containsExactly(200, 429);
  }

  @Test
  void rejectsStaleOrMissingIfMatch() {
    String old = admin.etag("per-ip");
    String body = "{\"id\":\"per-ip\",\"limit\":\"7/d\"}";
    assertThat(admin.put("per-ip", old, body).statusCode()).isEqualTo(200);

    problem(admin.put("per-ip", old, body), 412);
    problem(admin.delete("per-ip", old), 412);
    problem(admin.put("per-ip", "W/" + admin.etag("per-ip"), body), 412);
    problem(admin.send("PUT", "rules/per-ip", body), 428);
    problem(server.send(admin.request("rules/per-ip").DELETE()), 428);
    assertThat(admin.put("per-ip", old + ", *", body).statusCode()).isEqualTo(200);
  }

  @Test
  void putNeitherCreatesNorRenames() {
    problem(admin.put("new", "*", RULE), 404);
    problem(admin.send("PUT", "rules/new", RULE), 404);
    problem(admin.delete("new", "*"), 404);
    JsonNode renamed = problem(admin.put("per-ip", "*", RULE), 400);
    assertThat(renamed.get("detail").asString()).contains("'per-ip'").contains("'new'");
    JsonNode error = renamed.get("errors").get(0);
    assertThat(error.get("rule").asString()).isEqualTo("per-ip");
    assertThat(error.get("field").asString()).isEqualTo("id");
    assertThat(error.get("value").asString()).isEqualTo("new");
    assertThat(error.get("message").asString()).contains("'per-ip'");
    problem(admin.put("per-ip", "*", "{\"id\":\"per-ip\"}"), 400);
    assertThat(admin.version()).isEqualTo(4);
  }

  @Test
  void putTakesNullForAnAbsentId() {
    assertThat(admin.put("per-ip", "*", "{\"id\":null,\"limit\":\"8/d\"}").statusCode())
        .isEqualTo(200);
  }

  @Test
  void keepsRuleSetWhoseLastRuleIsDeleted() {
    admin.post("rules", "{\"id\":\"only\",\"ruleSetId\":\"lone\",\"limit\":\"1/d\"}");
    String ask = "{\"ruleSetId\":\"lone\",\"request\":{\"path\":\"/x\"}}";
    assertThat(server.ask("/v1/check", ask).get("ruleId").asString()).isEqualTo("only");

    HttpResponse<String> deleted = admin.delete("only", admin.etag("only"));

    assertThat(deleted.statusCode()).isEqualTo(204);
    assertThat(deleted.body()).isEmpty();
    problem(admin.get("rules/only"), 404);
    assertThat(server.ask("/v1/check", ask).get("reason").asString()).isEqualTo("NO_MATCHING_RULE");
    assertThat(admin.rulesPage()).contains("{\"id\":\"lone\",\"rules\":[]}");
  }

  @Test
  void validatesDocumentWithoutApplyingIt() {
    String yaml = "rules:\n  - { id: a, path: /a/*, limit: 1/s }\n";
    JsonNode warned =
        TestServer.json(
            server.send(
                admin
                    .request("validate")
                    .header("Content-Type", "application/yaml")
                    .POST(BodyPublishers.ofString(yaml))));
    assertThat(warned.get("valid").asBoolean()).isTrue();
    assertThat(warned.get("errors")).isEmpty();
    assertThat(warned.get("warnings").get(0).get("line").asInt()).isEqualTo(2);

    JsonNode wrong =
        TestServer.json(
            AdminClient.viewer(server)
                .post("validate", "{\"rules\":[{\"id\":\"a\",\"limit\":\"x\"},{}]}"));
    assertThat(wrong.get("valid").asBoolean()).isFalse();
    assertThat(wrong.get("errors").get(0).get("rule").asString()).isEqualTo("a");
    assertThat(wrong.get("errors").get(0).get("field").asString()).isEqualTo("limit");
    assertThat(wrong.get("warnings")).isEmpty();
    assertThat(ids()).containsExactly("per-ip", "per-user");
  }

  @Test
  void rejectsUnknownPathMethodAndContentType() {
    problem(admin.get("nowhere"), 404);
    problem(admin.get("rules/a/b"), 404);
    HttpResponse<String> wrong = admin.send("PATCH", "rules", "{}");
    problem(wrong, 405);
    assertThat(header(wrong, "Allow"))
        .hasValueSatisfying(allow -> assertThat(allow).contains("GET").contains("POST"));
    problem(admin.send("DELETE", "rules", ""), 405);
    problem(
        server.send(
            admin
                .request("rules")
                .header("Content-Type", "text/html")
                .POST(BodyPublishers.ofString(RULE))),
        415);
    String large = "{\"id\":\"new\",\"x\":\"" + "y".repeat(1 << 20) + "\"}";
    problem(admin.post("rules", large), 413);
    problem(admin.post("validate", large), 413);
    assertThat(server.send(admin.request("rules").POST(BodyPublishers.ofString(RULE))).statusCode())
        .as("no content type counts as JSON")
        .isEqualTo(201);
  }

  @Test
  void answersMalformedUriWithProblemDocument() throws IOException {
    for (String line :
        List.of("GET /admin/v1/rules/%zz HTTP/1.1", "GET /admin/v1/rules/a%2Fb HTTP/1.1")) {
      try (Socket socket = new Socket("localhost", server.server().managementPort())) {
        socket.setSoTimeout(20_000);
        socket
            .getOutputStream()
            .write(
                (line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1));
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer)
            .as(line)
            .startsWith("HTTP/1.1 400")
            .containsIgnoringCase("content-type: application/problem+json")
            .contains("\"status\":400")
            .doesNotContain("Tomcat");
      }
    }
  }

  @Test
  void concurrentEditsLoseNothing() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Integer> answers = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int t = 0; t < 4; t++) {
      int number = t;
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < 5; i++) {
                  String id = "r" + number + "-" + i;
                  answers.add(admin.post("rules", RULE.replace("new", id)).statusCode());
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(answers).hasSize(20).containsOnly(201);
    assertThat(ids()).hasSize(22);
    assertThat(admin.json("history")).hasSize(21);
  }

  @Test
  void showsOriginOfEachRuleAndLogsChangesWithoutEffect() throws IOException {
    Path file = Files.createTempFile("origin", ".yaml");
    Files.writeString(file, "version: 3\nrules: [{ id: a, limit: 1/d }, { id: b, limit: 1/d }]");
    Map<String, String> properties = new HashMap<>(AdminClient.tokens());
    properties.put("rl.config.path", file.toString());
    try (TestServer server = TestServer.start("", properties);
        LogLines log = new LogLines()) {
      AdminClient admin = AdminClient.editor(server);
      JsonNode listed = admin.json("rules").get("rules").get(0);
      assertThat(listed.get("origin").get("source").asString()).isEqualTo(file.toString());
      assertThat(listed.get("origin").get("version").asLong()).isEqualTo(3);

      assertThat(admin.put("a", admin.etag("a"), listed.toString()).statusCode()).isEqualTo(200);
      JsonNode rules = admin.json("rules").get("rules");
      assertThat(rules.get(0).get("origin").get("source").asString()).contains("rules");
      assertThat(rules.get(0).get("origin").get("source").asString()).isNotEqualTo(file.toString());
      assertThat(rules.get(0).get("origin").get("version").asLong()).isEqualTo(4);
      assertThat(rules.get(1).get("origin").get("version").asLong()).isEqualTo(3);

      Files.writeString(file, "version: 3\nrules: [{ id: a, limit: 9/d }, { id: b, limit: 1/d }]");
      await()
          .untilAsserted(
              () ->
                  assertThat(log.all())
                      .anyMatch(
                          line ->
                              line.startsWith("WARN rule 'a' of " + file)
                                  && line.contains("has no effect")));
      assertThat(log.all()).noneMatch(line -> line.contains("rule 'b'"));
    }
  }
}
