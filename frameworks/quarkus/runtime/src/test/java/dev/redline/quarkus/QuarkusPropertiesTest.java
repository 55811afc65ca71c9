package dev.redline.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.assembly.Plugins;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuarkusPropertiesTest {
  private static final int FILE = 250;
  private static final int ENVIRONMENT = 300;

  private static SmallRyeConfig config(Map<String, String> file, Map<String, String> variables) {
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(file, "file", FILE))
        .withSources(new EnvConfigSource(variables, ENVIRONMENT))
        .addDefaultInterceptors()
        .withProfile("dev")
        .build();
  }

  private static Map<String, String> properties(
      Map<String, String> file, Map<String, String> variables) {
    return QuarkusProperties.of(
        config(file, variables),
        QuarkusOrder.PROPERTIES.catalog(
            Plugins.load(QuarkusPropertiesTest.class.getClassLoader())));
  }

  @Test
  void variableStandsForAPropertyAndReplacesThatOfTheFile() {
    assertThat(
            properties(
                Map.of("rl.storage.max-keys", "7", "rl.config.source[0]", "FILE"),
                Map.of("RL_STORAGE_MAX_KEYS", "5", "RL_CONFIG_SOURCE", "INLINE", "RL_X", "y")))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("rl.storage.max-keys", "5", "rl.config.source", "INLINE"));
  }

  @Test
  void variableOfANamedFilterIsKnown() {
    assertThat(properties(Map.of(), Map.of("RL_FILTERS_LOGIN_RULE_SET_ID", "login")))
        .isEqualTo(Map.of("rl.filters.login.rule-set-id", "login"));
  }

  @Test
  void profilesAndExpressionsCount() {
    assertThat(
            properties(
                Map.of(
                    "%dev.rl.enabled", "false",
                    "rl.enabled", "true",
                    "%prod.rl.mode", "SHADOW",
                    "redis", "redis://127.0.0.1:1",
                    "rl.redis.uri", "${redis}"),
                Map.of()))
        .isEqualTo(Map.of("rl.enabled", "false", "rl.redis.uri", "redis://127.0.0.1:1"));
  }

  @Test
  void inlineRulesAndUnknownKeysAreKept() {
    Map<String, String> file =
        Map.of("rl.rules[0].id", "a", "rl.rules[0].limit", "1/s", "rl.unknown", "x");

    assertThat(properties(file, Map.of())).isEqualTo(file);
  }

  @Test
  void listThatASourceAlsoJoinsWithCommasIsTheList() {
    // As the source of application.yaml does.
    assertThat(
            properties(
                Map.of(
                    "rl.rules[0].limit", "1/s,9/m",
                    "rl.rules[0].limit[0]", "1/s",
                    "rl.rules[0].limit[1]", "9/m"),
                Map.of()))
        .isEqualTo(Map.of("rl.rules[0].limit[0]", "1/s", "rl.rules[0].limit[1]", "9/m"));
  }

  @Test
  void placeholdersAreReplacedOrRejected() {
    SmallRyeConfig config = config(Map.of("orders.limit", "2/m"), Map.of());

    assertThat(QuarkusProperties.resolve(config, "${orders.limit} burst ${burst:3}"))
        .isEqualTo("2/m burst 3");
    assertThatThrownBy(() -> QuarkusProperties.resolve(config, "${missing}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("missing");
  }
}
