package dev.redline.core.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RedisPropertiesTest {
  @Test
  void clusterNodesMayStandAlone() {
    Settings.Redis redis =
        Settings.parse(Map.of("rl.redis.cluster-nodes", "one:7001, [::1]:7002")).redis();
    assertThat(redis.uri()).isEqualTo("redis://one:7001");
    assertThat(redis.clusterNodes()).containsExactly("one:7001", "[::1]:7002");
  }

  @Test
  void rejectsEveryPoolPropertyWithTheReason() {
    for (String name : List.of("max-total", "max-idle", "size", "anything.else")) {
      assertThatThrownBy(() -> Settings.parse(Map.of("rl.redis.pool." + name, "8")))
          .isInstanceOf(InvalidSettingsException.class)
          .hasMessage(
              "rl.redis.pool.%s: not supported: all decisions share one multiplexed connection per"
                  + " master, so there is no pool; remove it",
              name);
    }
  }

  @Test
  void rejectsPoolPropertiesOfTheEnvironment() {
    Map<String, String> variables = Settings.environment(Map.of("RL_REDIS_POOL_MAX_TOTAL", "8"));
    assertThatThrownBy(() -> Settings.parse(variables))
        .isInstanceOf(InvalidSettingsException.class)
        .hasMessageContaining("rl.redis.pool.max-total");
  }

  @Test
  void showsNothingOfAMalformedUri() {
    for (String uri :
        List.of(
            "http://user:s3cret@host",
            "redis:user:s3cret@host",
            "s3cret",
            "redis//:s3/cret@host",
            "redis://:s3cret@s3cret@host",
            "redis://:s3cret s3cret@host")) {
      assertThatThrownBy(() -> Settings.parse(Map.of("rl.redis.uri", uri)))
          .isInstanceOf(InvalidSettingsException.class)
          .hasMessageContaining("rl.redis.uri")
          .hasMessageNotContaining("s3")
          .hasMessageNotContaining("cret");
    }
  }
}
