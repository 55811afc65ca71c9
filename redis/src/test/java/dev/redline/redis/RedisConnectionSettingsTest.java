package dev.redline.redis;

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

class RedisConnectionSettingsTest {
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
        "redis-sentinel://user:s3cret@#master",
        "redis://:s3cret@host,other",
        "redis://:s3cret@host:1,other:2/3",
        "redis://:s3cret@host:0",
        "redis://:s3cret@host:00000",
        "redis-sentinel://s3cret@a:0,b:26379#master",
        "redis://:s3cret@host?cret=1",
        "redis://:s3cret@host?timeout",
        "redis-sentinel://a:26379?timeout=1s&cret=1#master"
      })
  void rejectsMalformedUriWithoutShowingIt(String uri) {
    assertThatThrownBy(() -> RedisConnectionSettings.of(uri))
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
        "redis://host:06379?clientName=x&libraryName=y;LIBRARYVERSION=1&db=2&verifyPeer=NONE",
        "redis-socket:///run/redis.sock",
        "redis-socket:///run/redis.sock?database=2",
        "redis-sentinel://s3cret@a:26379,b:26379/0#master",
        "redis-sentinel://a:26379,b:26379#master"
      })
  void acceptsEveryFormAndShowsAddressWithoutCredentials(String uri) {
    assertThat(RedisConnectionSettings.of(uri).toString())
        .containsAnyOf("127.0.0.1:6379", "host:", "/run/redis.sock", "master of the sentinels a:")
        .doesNotContain("s3")
        .doesNotContain("user");
  }

  @Test
  void namesAMissingUriAndTheOptions() {
    assertThatThrownBy(() -> RedisConnectionSettings.of(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the Redis URI must not be null; use redis://");
    assertThatThrownBy(() -> RedisConnectionSettings.of("redis://host?foo=1"))
        .hasMessageContaining("options after ? are timeout, database");
  }

  @Test
  void rejectsClusterNodeWithoutHostAndPort() {
    for (String node : List.of("host", ":1", "host:x", "host:70000", "host:0")) {
      assertThatThrownBy(() -> settings(Duration.ofSeconds(1), node))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must be host:port, was '" + node + "'");
    }
  }

  @Test
  void rejectsConnectTimeoutThatIsNotPositive() {
    for (Duration timeout : List.of(Duration.ZERO, Duration.ofMillis(-1))) {
      assertThatThrownBy(() -> settings(timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("the connect time-out must be positive, was " + timeout);
    }
  }

  @Test
  void addressListsClusterNodesOnce() {
    assertThat(settings(Duration.ofSeconds(1), "host:6379", "other:1").address())
        .isEqualTo("host:6379, other:1");
  }

  private static RedisConnectionSettings settings(Duration connectTimeout, String... nodes) {
    return new RedisConnectionSettings(
        "redis://user:s3cret@host", List.of(nodes), Optional.empty(), connectTimeout);
  }
}
