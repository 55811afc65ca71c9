package dev.redline.bench.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisServer;
import org.junit.jupiter.api.Test;

class RedisUsageTest {
  @Test
  void countsProcessorTimeAndScriptsOfTheProcessAlone() {
    RedisUsage usage =
        RedisUsage.parse(
            """
            # CPU\r
            used_cpu_sys:1.250000\r
            used_cpu_user:2.500000\r
            used_cpu_sys_children:7.000000\r
            # Commandstats\r
            cmdstat_get:calls=5,usec=9,usec_per_call=1.80\r
            cmdstat_evalsha:calls=120,usec=900,usec_per_call=7.50\r
            cmdstat_eval:calls=3,usec=90,usec_per_call=30.00\r
            """);

    assertThat(usage).isEqualTo(new RedisUsage(3_750_000, 123));
  }

  @Test
  void countsWhatARedisDidInBetween() {
    try (RedisServer redis = RedisServer.start(RedisBinary.any())) {
      redis.command("EVAL", "return 1", "0");
      RedisUsage before = RedisUsage.of(redis);
      redis.command("EVAL", "return 1", "0");
      redis.command("EVAL", "return 2", "0");

      assertThat(RedisUsage.of(redis).since(before).calls()).isEqualTo(2);
    }
  }
}
