package dev.redline.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.key.KeyField;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @Test
  void hasDocumentedDefaults() {
    Settings settings = Settings.parse(Map.of());

    assertThat(settings.enabled()).isTrue();
    assertThat(settings.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(settings.fail().strategy()).isEqualTo(OnStoreFailure.LOCAL);
    assertThat(settings.fail().closedStatus()).isEqualTo(429);
    assertThat(settings.missingRules()).isEqualTo(MissingRules.ALLOW);
    assertThat(settings.identity().settings().ipv6Prefix()).isEqualTo(64);
    assertThat(settings.identity().apiKeyHeader()).isEqualTo("X-API-Key");
    assertThat(settings.headers().legacy()).isTrue();
    assertThat(settings.headers().ietf()).isFalse();
  }

  @Test
  void readsNamesInEverySpellingOfSpring() {
    for (String name : List.of("max-rules", "maxRules", "max_rules")) {
      Settings settings = Settings.parse(Map.of("rl.metrics." + name, "5"));
      assertThat(settings.metrics().maxRules()).isEqualTo(5);
    }
  }

  @Test
  void readsListsWithCommasOrIndexes() {
    Settings comma = Settings.parse(Map.of("rl.identity.trusted-proxies", "10.0.0.0/8, ::1"));
    Settings indexed =
        Settings.parse(
            Map.of(
                "rl.identity.trusted-proxies[0]", "10.0.0.0/8",
                "rl.identity.trusted-proxies[1]", "::1"));

    assertThat(comma.identity().trustedProxies()).isPresent();
    assertThat(indexed.identity().trustedProxies()).isEqualTo(comma.identity().trustedProxies());
  }

  @Test
  void reportsEveryUnknownNameAndWrongValueWithWhatIsAllowed() {
    assertThatThrownBy(
            () ->
                Settings.parse(
                    Map.of(
                        "rl.fail.strateg", "LOCAL",
                        "rl.metrics.max-rules", "-1",
                        "rl.mode", "sometimes",
                        "rl.fail.closed-status", "500",
                        "rl.circuit-breaker.window", "20",
                        "rl.identity.trusted-proxies", "nonsense")))
        .isInstanceOf(InvalidSettingsException.class)
        .satisfies(
            thrown ->
                assertThat(((InvalidSettingsException) thrown).problems())
                    .containsExactly(
                        "rl.circuit-breaker.window: '20' is not allowed; use a duration such as"
                            + " 50ms, 2s or 5m",
                        "rl.fail.closed-status: '500' is not allowed; use 429 or 503",
                        "rl.fail.strateg: there is no such property; did you mean"
                            + " rl.fail.strategy?",
                        "rl.identity.trusted-proxies: 'nonsense' is not allowed; use addresses or"
                            + " CIDR blocks",
                        "rl.metrics.max-rules: '-1' is not allowed; use a whole number from 0 to"
                            + " 100000",
                        "rl.mode: 'sometimes' is not allowed; use one of ENFORCE, SHADOW"));
  }

  @Test
  void rejectsDurationThatIsTooLong() {
    String name = "rl.wait-for-refill.max-wait-time";
    assertThat(Settings.parse(Map.of(name, "366d")).waitForRefill().maxWaitTime())
        .isEqualTo(Duration.ofDays(366));
    for (String value : List.of("367d", "99999999999999d")) {
      assertThatThrownBy(() -> Settings.parse(Map.of(name, value)))
          .hasMessageContaining(name + ": '" + value + "' is not allowed; use at most 366d");
    }
  }

  @Test
  void rejectsNamesThatNothingCanHave() {
    assertThatThrownBy(
            () ->
                Settings.parse(
                    Map.of(
                        "rl.default-rule-set-id", "api limits",
                        "rl.identity.api-key-header", "X Y")))
        .isInstanceOf(InvalidSettingsException.class)
        .satisfies(
            thrown ->
                assertThat(((InvalidSettingsException) thrown).problems())
                    .containsExactly(
                        "rl.default-rule-set-id: 'api limits' is not allowed; use 1 to 128 letters,"
                            + " digits and . _ -",
                        "rl.identity.api-key-header: 'X Y' is not allowed; use the name of a"
                            + " header: letters, digits and !#$%&'*+-.^_`|~"));
  }

  @Test
  void readsSecretFromFileAndNeverPrintsIt(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "s3cret-of-16-letters\n");
    Map<String, String> properties = Map.of("rl.identity.digest-secret-file", file.toString());
    Settings settings = Settings.parse(properties);
    assertThat(settings.identity().settings().apiKeyDigest().isKeyed()).isTrue();
    assertThat(settings.toString()).doesNotContain("s3cret");
    assertThatThrownBy(
            () ->
                Settings.parse(
                    Map.of(
                        "rl.identity.digest-secret",
                        "s3cret",
                        "rl.identity.digest-secret-file",
                        file.toString())))
        .hasMessage(
            "rl.identity.digest-secret: set either it or rl.identity.digest-secret-file, not both");
  }

  @Test
  void valuesOfTheApiKeyHeaderAreCredentials() {
    Settings settings = Settings.parse(Map.of("rl.identity.api-key-header", "X-Own-Key"));
    assertThat(settings.identity().settings().isCredential(KeyField.header("x-own-key"))).isTrue();
    assertThat(settings.identity().settings().isCredential(KeyField.header("cookie"))).isTrue();
    assertThat(settings.identity().settings().isCredential(KeyField.header("X-Tenant"))).isFalse();
  }

  @Test
  void rejectsEmptySecretFile(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), " \n");
    assertThatThrownBy(
            () -> Settings.parse(Map.of("rl.identity.digest-secret-file", file.toString())))
        .hasMessageContaining("rl.identity.digest-secret-file")
        .hasMessageContaining("must not be empty");
  }

  @Test
  void passesWaitSettingsToEngine() {
    EngineSettings unset = Settings.parse(Map.of()).engine();
    assertThat(unset.onLimitExceed()).isEqualTo(OnLimitExceed.REJECT);
    assertThat(unset.waiting())
        .isEqualTo(new EngineSettings.Waiting(false, Duration.ofSeconds(5), 100));
    EngineSettings set =
        Settings.parse(
                Map.of(
                    "rl.default-policy", "wait-for-refill",
                    "rl.wait-for-refill.enabled", "true",
                    "rl.wait-for-refill.max-wait-time", "2s",
                    "rl.wait-for-refill.max-concurrent-waits", "7"))
            .engine();
    assertThat(set.onLimitExceed()).isEqualTo(OnLimitExceed.WAIT_FOR_REFILL);
    assertThat(set.waiting()).isEqualTo(new EngineSettings.Waiting(true, Duration.ofSeconds(2), 7));
  }
}
