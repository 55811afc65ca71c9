package dev.redline.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.server.TestServer;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class CommandLineTest {
  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private String in = "";
  private Charset inputCharset = StandardCharsets.UTF_8;

  private int run(String... words) {
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(in.getBytes(inputCharset)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of("LIMIT", "7"));
    return Redline.run(List.of(words), terminal);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content).toString();
  }

  @Test
  void validateReportsValidRules() throws IOException {
    String file = file("my rules.yaml", "rules: [{ id: a, path: /a, limit: \"${LIMIT}/s\" }]\n");

    assertThat(run("validate", file)).isZero();
    assertThat(out()).isEqualTo("valid: 1 rule, 0 plans" + System.lineSeparator());
    assertThat(err()).isEmpty();
  }

  @Test
  void validateReadsJsonThatIsIndentedByTabs() {
    in = "{\n\t\"rules\": [\n\t\t{ \"id\": \"a\", \"limit\": \"10/s\" }\n\t]\n}\n";
    assertThat(run("validate", "-")).as(out()).isZero();

    in = in.replace("limit", "limt");
    assertThat(run("validate", "-")).isEqualTo(1);
    assertThat(out()).contains("-:3: rule 'a': unknown field 'limt'");
  }

  @Test
  void validatePrintsOneLinePerErrorOnStandardOutput() throws IOException {
    String file =
        file("bad.yaml", "rules:\n  - { id: a, limit: 0/s }\n  - { id: b, pth: /x, limit: 1/s }\n");

    assertThat(run("validate", file)).isEqualTo(1);
    assertThat(out().lines())
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith(file + ":2: rule 'a': "),
            line -> assertThat(line).startsWith(file + ":3: rule 'b': ").contains("path"));
    assertThat(err()).isEmpty();
  }

  @Test
  void validatePrintsWarningsAndFailsOnThemOnlyIfStrict() throws IOException {
    String file = file("warn.yaml", "rules: [{ id: a, path: /a/*, limit: 1/s }]\n");

    assertThat(run("validate", file)).isZero();
    assertThat(out()).contains(file + ":1: rule 'a': ").contains("did you mean `/**`?");
    assertThat(run("validate", "--strict", file)).isEqualTo(1);
    assertThat(run("validate", file, "--strict")).isEqualTo(1);
  }

  @Test
  void validateMergesSeveralFiles() throws IOException {
    String plans = file("plans.yaml", "plans: [{ id: gold, limit: 1/s }]\n");
    String rules = file("rules.json", "{\"rules\":[{\"id\":\"a\",\"plan\":\"gold\"}]}");
    String again = file("again.yaml", "rules: [{ id: a, limit: 1/s }]\n");

    assertThat(run("validate", plans, rules)).isZero();
    assertThat(run("validate", rules)).isEqualTo(1);
    assertThat(run("validate", plans, rules, again)).isEqualTo(1);
    assertThat(out()).contains(rules).contains(again);
  }

  @Test
  void validateReadsRuleFilesOfADirectory() throws IOException {
    file("a.yaml", "plans: [{ id: gold, limit: 1/s }]\n");
    file("b.yml", "rules: [{ id: a, plan: gold }]\n");
    file(".hidden.yaml", "nonsense: [\n");
    file("notes.txt", "not rules");

    assertThat(run("validate", directory.toString())).isZero();
    assertThat(out()).contains("1 rule, 1 plan");
  }

  @Test
  void validateReadsStandardInputForADash() {
    in = "rules: [{ id: a, limit: nonsense }]";

    assertThat(run("validate", "-")).isEqualTo(1);
    assertThat(out()).startsWith("-:1: rule 'a': ");
  }

  @Test
  void validateRejectsStandardInputThatIsNoUtf8() {
    in = "rules: [{ id: a, limit: 1/s, path: /bücher }]";
    assertThat(run("validate", "-")).isZero();

    out.reset();
    inputCharset = StandardCharsets.ISO_8859_1;
    assertThat(run("validate", "-")).isEqualTo(1);
    assertThat(out().strip()).isEqualTo("-: not a UTF-8 text");
  }

  @Test
  void serveRejectsEmptyValueInAWordOfItsOwn() {
    assertThat(run("serve", "--rules", "")).isEqualTo(2);
    assertThat(err()).contains("option --rules needs a value; it is empty");
  }

  @Test
  void validateNamesMissingFile() throws IOException {
    String good = file("good.yaml", "rules: []\n");

    assertThat(run("validate", good, "nowhere.yaml")).isEqualTo(1);
    assertThat(out()).contains("nowhere.yaml: no such file or directory");
  }

  @Test
  void explainPrintsTheResultOfTheService() throws IOException {
    String file =
        file(
            "rules.yaml",
            "rules:\n"
                + "  - { id: ip, path: /api/**, key: ip, limit: 5/m }\n"
                + "  - { id: user, path: /api/**, key: userId, limit: 3/m }\n"
                + "  - { id: tenant, path: /api/**, key: \"header:X-Tenant\", limit: 9/m,"
                + " match: { headers: { X-Tenant: acme } } }\n"
                + "  - { id: posts, path: /api/**, method: POST, limit: 1/s }\n");

    int code =
        run(
            "explain",
            "--rules",
            file,
            "GET",
            "/api/x",
            "--ip",
            "192.0.2.1",
            "--user=u1",
            "--header",
            "x-tenant=acme",
            "--api-key",
            "s3cret");

    assertThat(code).isZero();
    JsonNode explained = new JsonMapper().readTree(out());
    assertThat(explained.get("decision").get("ruleId").asString()).isEqualTo("user");
    JsonNode rules = explained.get("rules");
    assertThat(rules).hasSize(4);
    assertThat(rules.get(0).get("identity").asString()).isEqualTo("192.0.2.1");
    assertThat(rules.get(0).get("bands").get(0).get("remaining").asInt()).isEqualTo(5);
    assertThat(rules.get(1).get("why").asString()).isEqualTo("METHOD");
    assertThat(rules.get(2).get("identity").asString()).isEqualTo("acme");
    assertThat(out()).doesNotContain("s3cret");
  }

  @Test
  void explainNamesTheConditionThatFailed() throws IOException {
    String file =
        file(
            "rules.yaml",
            """
            rules:
              - { id: a, limit: 1/m, match: { headers: { X-Tenant: acme } } }
              - { id: b, limit: 1/m, match: { attributes: { tier: gold } } }
            """);

    run(
        "explain",
        "--rules",
        file,
        "GET",
        "/",
        "--header",
        "x-tenant=other",
        "--header",
        "X-Tenant=acme",
        "--attribute",
        "tier=free");

    JsonNode rules = new JsonMapper().readTree(out()).get("rules");
    assertThat(rules.get(0).get("matched").asBoolean()).isTrue();
    assertThat(rules.get(1).get("why").asString()).isEqualTo("ATTRIBUTE");
    assertThat(rules.get(1).get("field").asString()).isEqualTo("tier");
  }

  @Test
  void explainReportsInvalidRules() throws IOException {
    String file = file("bad.yaml", "rules: [{ id: a, limit: 0/s }]\n");

    assertThat(run("explain", "--rules", file, "GET", "/")).isEqualTo(1);
    assertThat(err()).startsWith(file + ":1: rule 'a': ");
    assertThat(run("explain", "--rules", "nowhere.yaml", "GET", "/")).isEqualTo(1);
    assertThat(err()).contains("nowhere.yaml");
    String good = file("good.yaml", "rules: []\n");
    assertThat(run("explain", "--rules", good, "GET", "/", "--rule-set", "none")).isEqualTo(1);
    assertThat(err()).contains("unknown rule set 'none'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "frobnicate                           | unknown command 'frobnicate'",
        "bench                                | ./redline bench",
        "serve --prt 1                        | unknown option --prt",
        "serve --port                         | --port needs a value",
        "serve --rules=                       | option --rules needs a value; it is empty",
        "serve --rules= --port 0              | option --rules needs a value; it is empty",
        "serve --rl.config.path=              | option --rl.config.path needs a value; it is empty",
        "explain --rules= GET /x              | option --rules needs a value; it is empty",
        "serve --port 1 --port 2              | --port is given twice",
        "serve rules.yaml                     | 'rules.yaml' is not understood",
        "validate                             | name a file",
        "validate --loud x                    | unknown option --loud",
        "explain GET /x                       | --rules FILE is missing",
        "explain --rules r.yaml /x            | method and a path",
        "explain --rules r.yaml GET /x --ip a | not an IP address",
        "explain --rules r.yaml GET /x --cost a    | --cost",
        "explain --rules r.yaml GET /x --header a  | NAME=VALUE",
      })
  void rejectsInvalidArgumentsAndNamesThem(String line, String said) {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err()).contains(said);
    assertThat(out()).isEmpty();
  }

  @Test
  void helpListsEveryCommand() {
    assertThat(run("help")).isZero();
    assertThat(out()).contains("serve").contains("validate").contains("explain").contains("bench");
    assertThat(run()).isEqualTo(2);
    assertThat(run("serve", "--help")).isZero();
  }

  @Test
  void serveReportsWhyItCannotStart() throws IOException {
    String file = file("bad.yaml", "rules:\n  - { id: a, limit: 0/s }\n  - { id: b }\n");

    assertThat(run("serve", "--rules", file, "--port", "0", "--management-port", "0")).isEqualTo(1);
    assertThat(err().lines()).hasSize(2).allMatch(line -> line.startsWith(file + ":"));
    assertThat(run("serve", "--rl.server.prt=1")).isEqualTo(1);
    assertThat(err()).contains("rl.server.prt: there is no such property");
    assertThat(run("serve", "--config", "nowhere.yaml")).isEqualTo(1);
    assertThat(err()).contains("nowhere.yaml: no such file");
  }

  @Tag("faults")
  @Test
  void inspectPrintsBucketInRedis() throws IOException {
    String rules = file("rules.yaml", "rules: [{ id: a, key: userId, limit: [3/h, 5/d] }]\n");
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        TestServer server =
            TestServer.start(
                Files.readString(Path.of(rules)),
                Map.of(
                    "rl.storage.type", "REDIS",
                    "rl.redis.uri", redis.uri(),
                    "rl.redis.command-timeout", "5s"))) {
      server.ask("/v1/check", "{\"ruleId\":\"a\",\"identity\":\"ann\"}");
      String key = ((List<?>) redis.command("KEYS", "rl:b:*")).get(0).toString();

      assertThat(run("inspect", key, "--redis", redis.uri(), "--rules", rules)).as(err()).isZero();
      assertThat(out())
          .contains("rule        a", "ann", "tokens, full at 20", "a-1: 2 of 3 left")
          .contains("a-2: 4 of 5 left");

      assertThat(run("inspect", key + "x", "--redis", redis.uri())).isEqualTo(1);
      assertThat(err()).contains("no such key");
      assertThat(run("inspect", "rl:m:tags", "--redis", redis.uri())).isEqualTo(1);
      assertThat(err()).contains("is not the key of a bucket; these start with rl:b:");
      redis.kill();
      assertThat(run("inspect", key, "--redis", redis.uri())).isEqualTo(1);
      assertThat(err()).contains("not connected to Redis");
    }
  }

  @Test
  void everyCommandHasHelpAndTheProgramHasAVersion() {
    for (String command : List.of("serve", "validate", "explain", "inspect", "version")) {
      for (String help : List.of("-h", "--help")) {
        out.reset();
        assertThat(run(command, help)).isZero();
        assertThat(out()).startsWith("usage: redline " + command);
        out.reset();
        assertThat(run("bench", "local", help)).isZero();
        assertThat(out()).startsWith("usage: redline ").contains("redline bench local");
      }
    }
    for (String version : List.of("version", "--version")) {
      out.reset();
      assertThat(run(version)).isZero();
      assertThat(out()).matches("redline [0-9]\\S+\\R");
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void validateReadsPipe() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Thread writer =
        new Thread(
            () -> {
              try {
                Files.writeString(pipe, "rules: [{ id: a, limit: 1/s }]");
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    writer.setDaemon(true);
    writer.start();

    assertThat(run("validate", pipe.toString())).as(out()).isZero();
    writer.join();
    in = "rules: [{ id: a, limit: 1/s }]";
    assertThat(run("validate", "-")).isZero();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void validateRejectsEndlessPipe() {
    assertThat(run("validate", "/dev/zero")).isEqualTo(1);
    assertThat(out()).contains("/dev/zero: larger than 32 MiB");
  }

  @Test
  void validateWarnsOfRulesThatWait() throws IOException {
    String file = file("w.yaml", "rules: [{ id: a, limit: 1/s, onLimitExceed: wait-for-refill }]");

    assertThat(run("validate", file)).isZero();
    assertThat(out()).contains("rule 'a'").contains("never waits").contains("(warning)");
    assertThat(run("validate", "--strict", file)).isEqualTo(1);
  }

  @Test
  void inspectNamesTheUriAndTheCauseWithoutThePassword() {
    assertThat(run("inspect", "rl:b:x", "--redis", "redis://me:hunter2@127.0.0.1:1")).isEqualTo(1);
    assertThat(err()).contains("redis://127.0.0.1:1").doesNotContain("hunter2");
    assertThat(err()).containsIgnoringCase("connection refused");
  }
}
