package dev.redline.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.redline.assembly.Plugins;
import dev.redline.core.internal.settings.PropertyCatalog;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Properties;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApplicationConfigTest {
  private final PropertyCatalog catalog =
      LimitedApplication.PROPERTIES.catalog(Plugins.load(getClass().getClassLoader()));
  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void restoreClassLoader() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void systemPropertiesWinOverEnvironmentVariables() {
    Properties system = new Properties();
    system.setProperty("rl.storage.max-keys", "7");
    system.setProperty("java.version", "17");

    ApplicationConfig config =
        ApplicationConfig.of(
            system,
            Map.of("RL_STORAGE_MAX_KEYS", "9", "RL_FILTERS_LOGIN_ORDER", "5", "PATH", "/bin"),
            catalog);

    assertThat(config.properties())
        .containsOnly(entry("rl.storage.max-keys", "7"), entry("rl.filters.login.order", "5"));
  }

  private ApplicationConfig read(Config registered) {
    ClassLoader application = new URLClassLoader(new URL[0], before);
    Thread.currentThread().setContextClassLoader(application);
    ConfigProviderResolver.instance().registerConfig(registered, application);
    return ApplicationConfig.read(catalog);
  }

  @Test
  void variablesOfASourceWinOverItsPropertiesAndKeepTheOthers() {
    Config registered =
        new SmallRyeConfigBuilder()
            .withSources(
                new PropertiesConfigSource(
                    Map.of(
                        "RL_STORAGE_MAX_KEYS", "2",
                        "rl.storage.max-keys", "1",
                        "RL_CONFIG_PATH", "",
                        "rl.config.path", "rules.yaml",
                        "rl.mode", "SHADOW"),
                    "both",
                    100))
            .build();

    assertThat(read(registered).properties())
        .containsOnly(
            entry("rl.storage.max-keys", "2"),
            entry("rl.config.path", "rules.yaml"),
            entry("rl.mode", "SHADOW"));
  }

  @Test
  void environmentWinsOverFilesWithoutTheNamesThatAreGuessed() {
    Config registered =
        new SmallRyeConfigBuilder()
            .withSources(
                new PropertiesConfigSource(
                    Map.of("rl.storage.max-keys", "1", "rl.filters.login.order", "3"), "file", 100),
                // Its names are also those with dots for underscores: rl.storage.max.keys.
                new EnvConfigSource(
                    Map.of("RL_STORAGE_MAX_KEYS", "2", "RL_FILTERS_LOGIN_ORDER", "5"), 300))
            .build();

    assertThat(read(registered).properties())
        .containsOnly(entry("rl.storage.max-keys", "2"), entry("rl.filters.login.order", "5"));
  }

  @Test
  void microProfileConfigDecidesByItsOrdinals() {
    Config registered =
        new SmallRyeConfigBuilder()
            .addDefaultInterceptors()
            .withSources(
                new PropertiesConfigSource(
                    Map.of(
                        "rl.storage.max-keys", "1",
                        "rl.rules[0].id", "weak",
                        "rl.rules[1].id", "weaker",
                        "rl.mode", "ENFORCE"),
                    "file",
                    100),
                new PropertiesConfigSource(Map.of("RL_STORAGE_MAX_KEYS", "2"), "variables", 300),
                new PropertiesConfigSource(
                    Map.of("rl.rules[0].id", "${id.of.rule}", "id.of.rule", "strong"),
                    "strong",
                    400))
            .build();

    ApplicationConfig config = read(registered);

    assertThat(config.properties())
        .containsOnly(
            entry("rl.storage.max-keys", "2"),
            entry("rl.rules[0].id", "strong"),
            entry("rl.mode", "ENFORCE"));
    assertThat(config.resolve("a-${id.of.rule}")).isEqualTo("a-strong");
  }

  @Test
  void placeholdersHaveDefaults() {
    ApplicationConfig config =
        ApplicationConfig.of(new Properties(), Map.of("LIMIT", "5/m"), catalog);

    assertThat(config.resolve("${LIMIT} and ${other:3/s}")).isEqualTo("5/m and 3/s");
    assertThatThrownBy(() -> config.resolve("${other}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'other' is not set");
  }
}
