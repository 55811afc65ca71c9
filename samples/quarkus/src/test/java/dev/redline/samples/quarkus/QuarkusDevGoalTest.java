package dev.redline.samples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sample in development mode, as {@code mvn quarkus:dev} runs it, and its Dev UI. */
@Tag("debian")
@Timeout(600)
class QuarkusDevGoalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path profile;
  private static DevelopmentMode application;

  @BeforeAll
  static void start() throws Exception {
    application =
        DevelopmentMode.start(
            Path.of("target", "development").toAbsolutePath(),
            RedisServer.freePort(),
            "rules: [{ id: of-file, path: /free, limit: 1000/h }]\n");
  }

  @AfterAll
  static void stop() {
    if (application != null) {
      application.close();
    }
  }

  private static void awaitLimit(String path, String limit) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(application.get(path).header("X-RateLimit-Limit")).isEqualTo(limit));
  }

  @Test
  void editedRuleFileIsInForceWithoutARestart() throws Exception {
    awaitLimit("/free", "1000");
    long starts = application.starts();

    application.editRules(text -> text.replace("1000/h", "2000/h"));

    awaitLimit("/free", "2000");
    assertThat(application.starts()).isEqualTo(starts);
  }

  @Test
  void editedRuleOfTheConfigurationIsInForceAtTheNextRequest() throws Exception {
    awaitLimit("/hello", "10");

    application.editProperties(text -> text.replace("limit=10/m", "limit=20/m"));

    awaitLimit("/hello", "20");
  }

  @Test
  void devUiShowsLimitedMethodsRulesAndTheStateOfTheStore() throws Exception {
    try (ChromiumPage page = ChromiumPage.start(profile)) {
      page.open(application.uri("/q/dev-ui/extensions"));
      page.awaitText("Redline", "Limited methods", "Rules and store");

      page.click("Limited methods");
      page.awaitText(
          "dev.redline.samples.quarkus.QuarkusSampleResource.work",
          "dev.redline.samples.quarkus.QuarkusSampleResource.async");

      page.open(application.uri("/q/dev-ui/extensions"));
      page.click("Rules and store");
      page.awaitText(
          "Rule set", "hello", "of-file", "QuarkusSampleResource.work", "\"breaker\": \"CLOSED\"");
    }
  }
}
