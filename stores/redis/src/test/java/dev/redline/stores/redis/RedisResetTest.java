package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.testkit.History;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Resets of rules, plans and single callers; a rule is reset by one command. */
class RedisResetTest {
  private static final int IDENTITIES = 1_000_000;
  private static final BucketLimits LIMITS =
      Nodes.rule("r", RateLimitBand.of(5, 1, Duration.ofDays(365)));

  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static String exhausted(long nowMicros) {
    return BucketValue.fullAt(nowMicros + 5L * 365 * 86_400 * 1_000_000).toString();
  }

  /** Writes exhausted buckets in chunks, so that the server stays responsive. */
  private static void plant(Nodes nodes, long nowMicros) {
    RateLimitKey example = new RateLimitKey(LIMITS, "");
    int step = 50_000;
    for (int from = 0; from < IDENTITIES; from += step) {
      REDIS
          .get()
          .command(
              "EVAL",
              "for i = ARGV[2], ARGV[2] + ARGV[3] - 1 do"
                  + " redis.call('SET', KEYS[1] .. string.format('%d', i), ARGV[1], 'EX', 100000)"
                  + " end",
              "1",
              nodes.redisKey(example),
              exhausted(nowMicros),
              Integer.toString(from),
              Integer.toString(step));
    }
  }

  private static Map<String, Long> calls() {
    Map<String, Long> calls = new TreeMap<>();
    Matcher lines =
        Pattern.compile("cmdstat_([^:]+):calls=(\\d+)")
            .matcher(String.valueOf(REDIS.get().command("INFO", "commandstats")));
    while (lines.find()) {
      calls.put(lines.group(1), Long.parseLong(lines.group(2)));
    }
    return calls;
  }

  @Test
  void resetsOneCallerOnAllNodes() {
    RateLimitKey key = new RateLimitKey(LIMITS, "reset");
    RateLimitKey other = new RateLimitKey(LIMITS, "not reset");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      nodes.add(2);
      RedisStore here = nodes.store(0);
      RedisStore there = nodes.store(1);
      for (RedisStore store : List.of(here, there)) {
        for (RateLimitKey exhausted : List.of(key, other)) {
          while (store.acquireAndWait(Acquisition.of(exhausted, 1)).allowed()) {}
          assertThat(store.denyFromMemory(Acquisition.of(exhausted, 1), new Outcome())).isTrue();
        }
      }

      here.reset(key).toCompletableFuture().join();

      assertThat(here.denyFromMemory(Acquisition.of(key, 1), new Outcome())).isFalse();
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofSeconds(10))
          .until(() -> !there.denyFromMemory(Acquisition.of(key, 1), new Outcome()));
      assertThat(there.acquireAndWait(Acquisition.of(key, 5)).allowed()).isTrue();
      assertThat(here.acquireAndWait(Acquisition.of(key, 1)).allowed()).isFalse();
      for (RedisStore store : List.of(here, there)) {
        assertThat(store.denyFromMemory(Acquisition.of(other, 1), new Outcome())).isTrue();
        assertThat(store.acquireAndWait(Acquisition.of(other, 1)).allowed()).isFalse();
      }
    }
  }

  /** After a failover that lost a reset, the next reset must have a new version. */
  @Test
  void appliesResetAfterFailoverLostAnEarlierOne() {
    RateLimitKey key = new RateLimitKey(LIMITS, "forgotten");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      nodes.add(2);
      RedisStore here = nodes.store(0);
      RedisStore there = nodes.store(1);
      String generations = nodes.redisKey(key).replaceAll(":b:.*", ":m:generations");
      for (int i = 0; i < 3; i++) {
        while (there.acquireAndWait(Acquisition.of(key, 1)).allowed()) {}
        here.reset(List.of(LIMITS)).toCompletableFuture().join();
        await()
            .pollInterval(Duration.ofMillis(5))
            .atMost(Duration.ofSeconds(10))
            .until(() -> there.acquireAndWait(Acquisition.of(key, 1)).allowed());
        assertThat(REDIS.get().command("DEL", generations)).isEqualTo(1L);
      }
    }
  }

  @Test
  void resetsManyRulesByOneCommandButNotPlansOfTheSameName() {
    List<BucketLimits> rules =
        IntStream.range(0, 1500)
            .mapToObj(i -> Nodes.rule("rule-" + i, LIMITS.band(0).band()))
            .toList();
    BucketLimits plan = new BucketLimits(OwnerKind.PLAN, "rule-7", List.of(LIMITS.band(0).band()));
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      nodes.add(1);
      RedisStore store = nodes.store(0);
      RateLimitKey ofRule = new RateLimitKey(rules.get(7), "somebody");
      RateLimitKey ofPlan = new RateLimitKey(plan, "somebody");
      store.acquireAndWait(Acquisition.of(ofRule, 5));
      store.acquireAndWait(Acquisition.of(ofPlan, 5));

      store.reset(rules).toCompletableFuture().join();

      assertThat(store.acquireAndWait(Acquisition.of(ofRule, 5)).allowed()).isTrue();
      assertThat(store.acquireAndWait(Acquisition.of(ofPlan, 1)).allowed()).isFalse();
    }
  }

  @Test
  void resetsRuleWithMillionCallersByOneCommandOnAllNodes() {
    RateLimitKey key = new RateLimitKey(LIMITS, "somebody");
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      List<StorageProvider> both = nodes.add(2);
      long now = Nodes.look(both.get(0), key).nowMicros();
      plant(nodes, now);
      RateLimitKey planted = new RateLimitKey(LIMITS, "planted");
      REDIS.get().command("SET", nodes.redisKey(planted), exhausted(now), "EX", "100000");
      assertThat(Nodes.look(nodes.store(0), planted).allowed()).isFalse();
      assertThat(REDIS.get().command("DBSIZE"))
          .isInstanceOfSatisfying(Long.class, size -> assertThat(size).isGreaterThan(IDENTITIES));
      assertThat(Nodes.take(both.get(1), key, 5).allowed()).isTrue();
      assertThat(Nodes.take(both.get(1), key, 1).allowed()).isFalse();
      assertThat(both.get(1).acquireNow(Acquisition.of(key, 1), new Outcome()))
          .as("denied from memory")
          .isTrue();

      Map<String, Long> before = calls();
      long begin = System.nanoTime();
      History.Span reset = nodes.history().resetting(OwnerKind.RULE, "r");
      nodes.store(0).reset(List.of(LIMITS)).toCompletableFuture().join();
      Map<String, Long> after = calls();
      before.forEach((command, count) -> after.merge(command, -count, Long::sum));
      after.values().removeIf(count -> count == 0);
      await()
          .pollInterval(Duration.ofMillis(5))
          .atMost(Duration.ofSeconds(10))
          .until(() -> Nodes.take(both.get(1), key, 1).allowed());
      long waited = (System.nanoTime() - begin) / 1_000_000;
      reset.close();
      System.out.println("figure: another node admitted " + waited + " ms after the reset");
      System.out.println("figure: commands of the reset " + after);
      assertThat(after).containsEntry("eval", 1L).containsEntry("hset", 1L);
      assertThat(after.keySet())
          .doesNotContain("scan", "hscan", "keys", "del", "unlink", "expire", "set", "flushdb");
      assertThat(waited).isLessThan(3000);
      HistoryChecker.check(nodes.history());

      assertThat(Nodes.take(nodes.store(0), planted, 5).allowed()).isTrue();
    }
  }
}
