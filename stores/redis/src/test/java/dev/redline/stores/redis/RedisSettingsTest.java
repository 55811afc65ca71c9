package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.redis.RedisConnectionSettings;
import dev.redline.redis.RedisProperties;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RedisSettingsTest {
  private static final RedisConnectionSettings CONNECTION =
      RedisConnectionSettings.of("redis://user:s3cret@host");

  @Test
  void rejectsMalformedUri() {
    assertThatThrownBy(() -> RedisSettings.of("http://host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the Redis URI is malformed");
    assertThatThrownBy(() -> RedisSettings.of((String) null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the Redis URI must not be null");
    assertThatThrownBy(() -> RedisSettings.of((RedisConnectionSettings) null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("connection");
  }

  @Test
  void rejectsKeyPrefixWithBraces() {
    for (String prefix : List.of("", "{rl", "rl}")) {
      assertThatThrownBy(() -> RedisSettings.of(CONNECTION).withKeyPrefix(prefix))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("was '" + prefix + "'");
    }
  }

  @Test
  void rejectsSizesOutOfRange() {
    Duration timeout = Duration.ofMillis(50);
    assertThatThrownBy(
            () -> new RedisSettings(CONNECTION, timeout, "rl", 0, 1, 1, LeaseSettings.OFF))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> new RedisSettings(CONNECTION, timeout, "rl", 1, 65, 1, LeaseSettings.OFF))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> new RedisSettings(CONNECTION, timeout, "rl", 1, 1, 0, LeaseSettings.OFF))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void readsProperties() {
    FlatProperties properties =
        new FlatProperties(
            Map.of(
                "rl.redis.cluster-nodes", "a:1,b:2",
                "rl.redis.command-timeout", "70ms",
                "rl.redis.connect-timeout", "3s",
                "rl.redis.key-prefix", "x",
                "rl.batch.max-size", "32"));

    RedisSettings settings = RedisSettings.read(properties, RedisProperties.read(properties));

    assertThat(settings.connection().clusterNodes()).containsExactly("a:1", "b:2");
    assertThat(settings.connection().connectTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(settings.commandTimeout()).isEqualTo(Duration.ofMillis(70));
    assertThat(settings.keyPrefix()).isEqualTo("x");
    assertThat(settings.maxBatch()).isEqualTo(32);
  }

  @Test
  void showsNoCredentials() {
    assertThat(RedisSettings.of(CONNECTION)).hasToString("RedisSettings[host:6379]");
  }
}
