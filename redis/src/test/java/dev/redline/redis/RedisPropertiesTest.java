package dev.redline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.internal.settings.FlatProperties;
import dev.redline.core.settings.InvalidSettingsException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RedisPropertiesTest {
  private static RedisProperties read(Map<String, String> properties) {
    FlatProperties reader = new FlatProperties(properties);
    RedisProperties redis = RedisProperties.read(reader);
    reader.finish();
    return redis;
  }

  @Test
  void clusterNodesMayStandAlone() {
    RedisConnectionSettings redis =
        read(Map.of("rl.redis.cluster-nodes", "one:7001, [::1]:7002")).connection();
    assertThat(redis.uri()).isEqualTo("redis://one:7001");
    assertThat(redis.clusterNodes()).containsExactly("one:7001", "[::1]:7002");
  }

  @Test
  void rejectsEveryPoolPropertyWithTheReason() {
    for (String name : List.of("max-total", "max-idle", "size", "anything.else")) {
      assertThatThrownBy(() -> read(Map.of("rl.redis.pool." + name, "8")))
          .isInstanceOf(InvalidSettingsException.class)
          .hasMessage(
              "rl.redis.pool.%s: not supported: all decisions share one multiplexed connection per"
                  + " master, so there is no pool; remove it",
              name);
    }
  }

  @Test
  void showsNothingOfMalformedUri() {
    for (String uri :
        List.of(
            "http://user:s3cret@host",
            "redis:user:s3cret@host",
            "s3cret",
            "redis//:s3/cret@host",
            "redis://:s3/cret@host",
            "redis://user:s3cret@host:port",
            "redis://:s3cret@s3cret@host",
            "redis://:s3cret s3cret@host")) {
      assertThatThrownBy(() -> read(Map.of("rl.redis.uri", uri)))
          .isInstanceOf(InvalidSettingsException.class)
          .hasMessageContaining("rl.redis.uri")
          .hasMessageNotContaining("s3")
          .hasMessageNotContaining("cret");
    }
  }

  @Test
  void rejectsWrongPrefixNodeAndFile() {
    assertThatThrownBy(
            () ->
                read(
                    Map.of(
                        "rl.redis.key-prefix", "a b",
                        "rl.redis.cluster-nodes", "host",
                        "rl.redis.ca-file", "/no/such/file")))
        .hasMessageContainingAll(
            "rl.redis.key-prefix", "rl.redis.cluster-nodes", "rl.redis.ca-file");
  }
}
