package dev.redline.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.settings.InvalidSettingsException;
import dev.redline.core.spi.RuleSourceFactory.ReloadStrategy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerPropertiesTest {
  @Test
  void hasDocumentedDefaults() {
    ServerSettings settings = ServerSettings.parse(Map.of());

    assertThat(settings.storage().type()).isEqualTo("LOCAL");
    assertThat(settings.storage().maxKeys()).isEqualTo(1_000_000);
    assertThat(settings.server().host()).isEqualTo("0.0.0.0");
    assertThat(settings.server().port()).isEqualTo(8080);
    assertThat(settings.server().managementHost()).isEqualTo("127.0.0.1");
    assertThat(settings.server().managementPort()).isEqualTo(9090);
    assertThat(settings.server().drainTimeout()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.server().maxConnections()).isEqualTo(20_000);
    assertThat(settings.server().bodyTimeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(settings.server().inlineLimits()).isFalse();
    assertThat(settings.dataDir()).isEqualTo(Path.of("data"));
    assertThat(settings.config().names()).containsExactly("FILE");
  }

  @Test
  void readsNamesInEverySpellingOfSpring() {
    assertThat(ServerSettings.parse(Map.of("rl.storage.max-keys", "5")).storage().maxKeys())
        .isEqualTo(5);
    assertThat(ServerSettings.parse(Map.of("rl.storage.maxKeys", "6")).storage().maxKeys())
        .isEqualTo(6);
    assertThat(ServerSettings.parse(Map.of("rl.storage.max_keys", "7")).storage().maxKeys())
        .isEqualTo(7);
  }

  @Test
  void readsListOfRuleSourcesAndRejectsCombinationsThatCannotWork() {
    ServerSettings settings =
        ServerSettings.parse(
            Map.of(
                "rl.config.source", "config-map, REDIS",
                "rl.config.path", "/etc/redline",
                "rl.reload.strategy", "polling",
                "rl.k8s.watch-enabled", "false"));

    assertThat(settings.config().names()).containsExactly("CONFIG_MAP", "REDIS");
    assertThat(settings.reload().strategy()).hasValue(ReloadStrategy.POLLING);
    assertThat(ServerSettings.parse(Map.of()).reload().strategy()).isEmpty();
    assertRejected(
        Map.of("rl.config.source", "PAPER"), "'PAPER'", "CONFIG_MAP", "FILE", "INLINE", "REDIS");
    assertRejected(Map.of("rl.config.source", "REDIS,REDIS"), "name each source once");
    assertRejected(Map.of("rl.config.source", "CONFIG_MAP"), "rl.config.path", "CONFIG_MAP");
    assertRejected(
        Map.of("rl.config.source", "FILE,CONFIG_MAP", "rl.config.path", "x"), "either FILE or");
    assertRejected(
        Map.of("rl.reload.strategy", "REDIS_PUBSUB"), "only MONGO, REDIS can have notices");
    assertRejected(
        Map.of("rl.reload.strategy", "WATCH", "rl.config.source", "REDIS"), "can be watched");
  }

  private static void assertRejected(Map<String, String> properties, String... messages) {
    assertThatThrownBy(() -> ServerSettings.parse(properties))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContainingAll(messages);
  }

  @Test
  void findsPropertiesOfVariables() {
    assertThat(
            ServerSettings.CATALOG.environment(
                Map.of(
                    "RL_STORAGE_MAX_KEYS", "9",
                    "RL_FAIL_STRATEGY", "OPEN",
                    "RL_REDIS_URI_FILE", "/uri",
                    "RL_ADMIN_TOKENS_CI_VALUE", "s3cret",
                    "RL_NO_SUCH_THING", "x",
                    "HOME", "/")))
        .containsOnly(
            Map.entry("rl.storage.max-keys", "9"),
            Map.entry("rl.fail.strategy", "OPEN"),
            Map.entry("rl.redis.uri-file", "/uri"),
            Map.entry("rl.admin.tokens.ci.value", "s3cret"));
  }

  @Test
  void reportsProblemsOfAllModulesTogether() {
    assertThatThrownBy(
            () ->
                ServerSettings.parse(
                    Map.of(
                        "rl.storage.typ", "LOCAL",
                        "rl.storage.max-keys", "0",
                        "rl.mode", "sometimes",
                        "rl.batch.max-size", "65",
                        "rl.redis.pool.max-total", "8",
                        "rl.server.drain-timeout", "20")))
        .isInstanceOf(InvalidSettingsException.class)
        .satisfies(
            thrown ->
                assertThat(((InvalidSettingsException) thrown).problems())
                    .containsExactly(
                        "rl.batch.max-size: '65' is not allowed; use a whole number from 1 to 64",
                        "rl.mode: 'sometimes' is not allowed; use one of ENFORCE, SHADOW",
                        "rl.redis.pool.max-total: not supported: all decisions share one"
                            + " multiplexed connection per master, so there is no pool; remove it",
                        "rl.server.drain-timeout: '20' is not allowed; use a duration such as"
                            + " 50ms, 2s or 5m",
                        "rl.storage.max-keys: '0' is not allowed; use a whole number from 1 to"
                            + " 1000000000",
                        "rl.storage.typ: there is no such property; did you mean"
                            + " rl.storage.type?"));
  }

  @Test
  void rejectsPoolPropertiesOfTheEnvironment() {
    Map<String, String> properties =
        ServerSettings.CATALOG.environment(Map.of("RL_REDIS_POOL_MAX_TOTAL", "8"));
    assertRejected(properties, "rl.redis.pool.max-total");
    assertRejected(
        ServerSettings.CATALOG.environment(Map.of("RL_REDIS_POOL_FOO", "8")), "rl.redis.pool.foo");
  }

  @Test
  void saysThatPropertiesOfApplicationsAreNotForTheService() {
    for (String name :
        List.of(
            "rl.handler",
            "rl.remote.uri",
            "rl.filter.order",
            "rl.filters.api.order",
            "rl.annotations.enabled")) {
      assertRejected(
          Map.of(name, "1"),
          name
              + ": is for applications (Spring, Quarkus, Jakarta), not for the service; remove it");
    }
  }

  @Test
  void readsTokenFromFileAndNeverPrintsIt(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "s3cret-of-16-letters\n");

    ServerSettings settings =
        ServerSettings.parse(
            Map.of(
                "rl.admin.tokens.ops.role", "editor", "rl.admin.tokens.ops.file", file.toString()));

    assertThat(settings.adminTokens().get("ops").role()).isEqualTo(AdminToken.Role.EDITOR);
    assertThat(settings.adminTokens().get("ops").value()).isEqualTo("s3cret-of-16-letters");
    assertThat(settings.toString()).doesNotContain("s3cret-of-16-letters");
  }

  @Test
  void neverPrintsRedisPassword() {
    ServerSettings settings =
        ServerSettings.parse(Map.of("rl.redis.uri", "redis://user:s3cret@host"));
    assertThat(settings.toString()).doesNotContain("s3cret").doesNotContain("user");
  }

  @Test
  void rejectsTokenWithoutValueOrFile() {
    assertRejected(Map.of("rl.admin.tokens.ops.role", "editor"), "rl.admin.tokens.ops.value");
  }
}
