package dev.redline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.assembly.HostProfile;
import dev.redline.assembly.Plugins;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class LettuceHostPropertiesTest {
  @Test
  void takesAddressDatabaseAndCredentials() {
    RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("cache.example", 7000);
    server.setUsername("app");
    server.setPassword("p@ss:/ word");
    server.setDatabase(3);

    assertThat(properties(new LettuceConnectionFactory(server)))
        .containsEntry("rl.redis.uri", "redis://app:p%40ss%3A%2F%20word@cache.example:7000/3");
  }

  @Test
  void takesTlsAndConnectTimeout() {
    LettuceClientConfiguration client =
        LettuceClientConfiguration.builder()
            .clientOptions(
                ClientOptions.builder()
                    .socketOptions(
                        SocketOptions.builder().connectTimeout(Duration.ofMillis(700)).build())
                    .build())
            .useSsl()
            .build();

    assertThat(
            properties(
                new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("cache.example"), client)))
        .containsEntry("rl.redis.uri", "rediss://cache.example:6379/0")
        .containsEntry("rl.redis.connect-timeout", "700ms");
  }

  @Test
  void takesSentinels() {
    RedisSentinelConfiguration sentinel =
        new RedisSentinelConfiguration().master("main").sentinel("s1", 26379).sentinel("s2", 26380);

    assertThat(properties(new LettuceConnectionFactory(sentinel)).get("rl.redis.uri"))
        .startsWith("redis-sentinel://")
        .contains("s1:26379", "s2:26380")
        .endsWith("/0#main");
  }

  @Test
  void takesClusterNodes() {
    RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("n1:7001"));

    assertThat(properties(new LettuceConnectionFactory(cluster)))
        .containsEntry("rl.redis.uri", "redis://n1:7001")
        .containsEntry("rl.redis.cluster-nodes", "n1:7001");
  }

  @Test
  void takesUnixSocket() {
    assertThat(
            properties(
                new LettuceConnectionFactory(new RedisSocketConfiguration("/run/redis.sock"))))
        .containsEntry("rl.redis.uri", "redis-socket:///run/redis.sock");
  }

  /** Returns the properties, which Redline's own settings must accept. */
  private static Map<String, String> properties(LettuceConnectionFactory factory) {
    Map<String, String> properties = LettuceHostProperties.properties(factory);
    SpringOrder.PROPERTIES.parse(
        properties,
        Plugins.load(LettuceHostPropertiesTest.class.getClassLoader()),
        HostProfile.application());
    return properties;
  }
}
