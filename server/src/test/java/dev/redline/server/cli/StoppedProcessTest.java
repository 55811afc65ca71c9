package dev.redline.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.spi.RuleRepository.AuditEntry;
import dev.redline.core.spi.RuleRepository.Revision;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.rules.redis.RedisRuleRepository;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose process is suspended while rules change. */
@Tag("faults")
class StoppedProcessTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir Path directory;

  private static void publish(RedisRuleRepository repository, long version, String ruleId)
      throws IOException {
    Instant now = Instant.now();
    String document = "{\"rules\":[{\"id\":\"" + ruleId + "\",\"limit\":\"999/d\"}]}";
    assertThat(
            repository.write(
                version - 1,
                new Revision(version, document, now, "test", ruleId),
                new AuditEntry(
                    now, "test", "update", Optional.empty(), Optional.empty(), Optional.empty())))
        .isTrue();
  }

  private static void signal(Process process, String name) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  private static String decidingRule(int port) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/v1/check"))
            .timeout(Duration.ofSeconds(5))
            .POST(BodyPublishers.ofString("{\"request\":{\"path\":\"/x\"}}"))
            .build();
    String body = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    return body.replaceAll(".*\"ruleId\":\"([^\"]*)\".*", "$1");
  }

  @ParameterizedTest(name = "its connections cut meanwhile: {0}")
  @ValueSource(booleans = {false, true})
  void serverReloadsRulesAfterItWasSuspended(boolean cut) throws Exception {
    int port = RedisServer.freePort();
    try (RedisServer redis = RedisServer.start(RedisBinary.any());
        RedisRuleRepository repository =
            new RedisRuleRepository(RedisConnectionSettings.of(redis.uri()), "rl")) {
      publish(repository, 1, "first");
      Process server =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  "dev.redline.server.cli.Redline",
                  "serve",
                  "--port",
                  Integer.toString(port),
                  "--management-port",
                  "0",
                  "--rl.config.source=REDIS",
                  "--rl.reload.polling-interval=1h",
                  "--rl.redis.uri=" + redis.uri())
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
      try {
        await()
            .atMost(Duration.ofMinutes(2))
            .ignoreExceptionsInstanceOf(IOException.class)
            .until(() -> decidingRule(port).equals("first"));

        signal(server, "STOP");
        publish(repository, 2, "second");
        if (cut) {
          redis.command("CLIENT", "KILL", "TYPE", "pubsub");
        }
        signal(server, "CONT");

        long woken = System.nanoTime();
        await()
            .pollInterval(Duration.ofMillis(20))
            .atMost(SOON)
            .until(() -> decidingRule(port).equals("second"));
        System.out.println(
            "caught up " + (System.nanoTime() - woken) / 1_000_000 + " ms after waking");
      } finally {
        server.destroyForcibly().waitFor();
      }
    }
  }
}
