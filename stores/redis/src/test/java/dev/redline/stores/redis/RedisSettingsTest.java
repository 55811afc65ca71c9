package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisSettingsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "s3cret",
        "redis:s3cret",
        "redis://",
        "redis://:s3cret@",
        "redis://:s3 cret@host",
        "redis://:s3cret@s3cret@host",
        "redis://:s3cret/s3cret@host",
        "redis://user:s3@cret/x@host:6379",
        "redis://user:s3cret@host:port",
        "redis://user:s3cret@host:99999",
        "redis://user:s3%cret@host",
        "redis://:s3cret@host/cret",
        "http://user:s3cret@host",
        "redis-sentinel://user:s3cret@#master"
      })
  void rejectsAMalformedUriWithoutShowingIt(String uri) {
    assertThatThrownBy(() -> RedisSettings.of(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the Redis URI is malformed")
        .satisfies(
            thrown -> {
              StringWriter all = new StringWriter();
              thrown.printStackTrace(new PrintWriter(all));
              assertThat(all.toString()).doesNotContain("s3").doesNotContain("cret");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://127.0.0.1:6379",
        "redis://host",
        "redis://user:s3cret@host:1234/3",
        "redis://user:s3%40cr%2Fet@host:1234/3?timeout=1s",
        "rediss://:s3cret@host:1234",
        "redis-socket:///run/redis.sock",
        "redis-socket:///run/redis.sock?database=2",
        "redis-sentinel://s3cret@a:26379,b:26379/0#master",
        "redis-sentinel://a:26379,b:26379#master"
      })
  void acceptsEveryFormAndNamesTheAddressWithoutCredentials(String uri) {
    assertThat(RedisSettings.of(uri).toString())
        .containsAnyOf("127.0.0.1:6379", "host:", "/run/redis.sock", "master of the sentinels a:")
        .doesNotContain("s3")
        .doesNotContain("user");
  }

  @Test
  void rejectsANodeThatIsNoAddress() {
    for (String node : List.of("host", ":1", "host:x", "host:70000", "host:0")) {
      assertThatThrownBy(
              () ->
                  new RedisSettings(
                      "redis://host",
                      List.of(node),
                      Optional.empty(),
                      Duration.ofMillis(50),
                      Duration.ofSeconds(1),
                      "rl",
                      4,
                      64,
                      10))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be host:port, was '" + node + "'");
    }
  }
}
