package dev.redline.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.EngineSettings;
import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.WaitSettings;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.OnLimitExceed;
import dev.redline.core.rule.OnStoreFailure;
import dev.redline.core.settings.Settings.ConfigSource;
import dev.redline.core.settings.Settings.ReloadStrategy;
import dev.redline.core.settings.Settings.Role;
import dev.redline.core.settings.Settings.StorageType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @Test
  void withoutAnyPropertyTheDocumentedDefaultsHold() {
    Settings settings = Settings.parse(Map.of());

    assertThat(settings.enabled()).isTrue();
    assertThat(settings.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(settings.storage().type()).isEqualTo(StorageType.LOCAL);
    assertThat(settings.storage().maxKeys()).isEqualTo(1_000_000);
    assertThat(settings.fail().strategy()).isEqualTo(OnStoreFailure.LOCAL);
    assertThat(settings.fail().closedStatus()).isEqualTo(429);
    assertThat(settings.missingRules()).isEqualTo(MissingRules.ALLOW);
    assertThat(settings.identity().settings().ipv6Prefix()).isEqualTo(64);
    assertThat(settings.identity().apiKeyHeader()).isEqualTo("X-API-Key");
    assertThat(settings.headers().legacy()).isTrue();
    assertThat(settings.headers().ietf()).isFalse();
    assertThat(settings.server().port()).isEqualTo(8080);
    assertThat(settings.server().managementHost()).isEqualTo("127.0.0.1");
    assertThat(settings.server().managementPort()).isEqualTo(9090);
    assertThat(settings.server().drainTimeout()).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void namesAreReadInEverySpellingSpringUnderstands() {
    assertThat(Settings.parse(Map.of("rl.storage.max-keys", "5")).storage().maxKeys()).isEqualTo(5);
    assertThat(Settings.parse(Map.of("rl.storage.maxKeys", "6")).storage().maxKeys()).isEqualTo(6);
    assertThat(Settings.parse(Map.of("rl.storage.max_keys", "7")).storage().maxKeys()).isEqualTo(7);
  }

  @Test
  void listsComeCommaSeparatedOrIndexed() {
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
  void ruleSourcesAreAListAndWhatCannotBeTogetherIsRefused() {
    Settings settings =
        Settings.parse(
            Map.of(
                "rl.config.source", "config-map, REDIS",
                "rl.config.path", "/etc/redline",
                "rl.reload.strategy", "polling",
                "rl.k8s.watch-enabled", "false"));

    assertThat(settings.config().sources())
        .containsExactly(ConfigSource.CONFIG_MAP, ConfigSource.REDIS);
    assertThat(settings.config().watchConfigMap()).isFalse();
    assertThat(settings.reload().strategy()).hasValue(ReloadStrategy.POLLING);
    assertThat(Settings.parse(Map.of()).reload().strategy()).isEmpty();
    assertRefused(Map.of("rl.config.source", "NACOS"), "use one of FILE, CONFIG_MAP, REDIS");
    assertRefused(Map.of("rl.config.source", "REDIS,REDIS"), "name each source once");
    assertRefused(Map.of("rl.config.source", "CONFIG_MAP"), "rl.config.path", "CONFIG_MAP");
    assertRefused(
        Map.of("rl.config.source", "FILE,CONFIG_MAP", "rl.config.path", "x"), "either FILE or");
    assertRefused(Map.of("rl.reload.strategy", "REDIS_PUBSUB"), "only rl.config.source REDIS");
    assertRefused(
        Map.of("rl.reload.strategy", "WATCH", "rl.config.source", "REDIS"), "are watched");
  }

  private static void assertRefused(Map<String, String> properties, String... told) {
    assertThatThrownBy(() -> Settings.parse(properties))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContainingAll(told);
  }

  @Test
  void environmentVariablesStandForPropertiesAndUnknownOnesAreLeftOut() {
    assertThat(
            Settings.environment(
                Map.of(
                    "RL_STORAGE_MAX_KEYS", "9",
                    "RL_ADMIN_TOKENS_CI_VALUE", "s3cret",
                    "RL_NO_SUCH_THING", "x",
                    "HOME", "/")))
        .containsOnly(
            Map.entry("rl.storage.max-keys", "9"), Map.entry("rl.admin.tokens.ci.value", "s3cret"));
  }

  @Test
  void everyUnknownNameAndWrongValueIsToldTogetherWithWhatIsAllowed() {
    assertThatThrownBy(
            () ->
                Settings.parse(
                    Map.of(
                        "rl.storage.typ", "LOCAL",
                        "rl.storage.max-keys", "0",
                        "rl.mode", "sometimes",
                        "rl.fail.closed-status", "500",
                        "rl.server.drain-timeout", "20",
                        "rl.identity.trusted-proxies", "nonsense")))
        .isInstanceOf(InvalidSettingsException.class)
        .satisfies(
            thrown ->
                assertThat(((InvalidSettingsException) thrown).problems())
                    .containsExactly(
                        "rl.fail.closed-status: '500' is not allowed; use 429 or 503",
                        "rl.identity.trusted-proxies: 'nonsense' is not allowed; use addresses or"
                            + " CIDR blocks",
                        "rl.mode: 'sometimes' is not allowed; use one of ENFORCE, SHADOW",
                        "rl.server.drain-timeout: '20' is not allowed; use a duration such as"
                            + " 50ms, 2s or 5m",
                        "rl.storage.max-keys: '0' is not allowed; use a whole number from 1 to"
                            + " 1000000000",
                        "rl.storage.typ: there is no such property; did you mean"
                            + " rl.storage.type?"));
  }

  @Test
  void aSecretMayStandInAFileAndIsNeverPrinted(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "s3cret-of-16-letters\n");

    Settings settings =
        Settings.parse(
            Map.of(
                "rl.admin.tokens.ops.role", "editor", "rl.admin.tokens.ops.file", file.toString()));

    assertThat(settings.adminTokens().get("ops").role()).isEqualTo(Role.EDITOR);
    assertThat(settings.adminTokens().get("ops").value()).isEqualTo("s3cret-of-16-letters");
    assertThat(settings.toString()).doesNotContain("s3cret-of-16-letters");
  }

  @Test
  void aTokenWithoutValueOrFileIsRefused() {
    assertThatThrownBy(() -> Settings.parse(Map.of("rl.admin.tokens.ops.role", "editor")))
        .hasMessageContaining("rl.admin.tokens.ops.value");
  }

  @Test
  void waitingReachesTheEngine() {
    EngineSettings unset = Settings.parse(Map.of()).engine();
    assertThat(unset.onLimitExceed()).isEqualTo(OnLimitExceed.REJECT);
    assertThat(unset.waiting()).isEqualTo(new WaitSettings(false, Duration.ofSeconds(5), 100));
    EngineSettings set =
        Settings.parse(
                Map.of(
                    "rl.default-policy", "wait-for-refill",
                    "rl.wait-for-refill.enabled", "true",
                    "rl.wait-for-refill.max-wait-time", "2s",
                    "rl.wait-for-refill.max-concurrent-waits", "7"))
            .engine();
    assertThat(set.onLimitExceed()).isEqualTo(OnLimitExceed.WAIT_FOR_REFILL);
    assertThat(set.waiting()).isEqualTo(new WaitSettings(true, Duration.ofSeconds(2), 7));
  }
}
