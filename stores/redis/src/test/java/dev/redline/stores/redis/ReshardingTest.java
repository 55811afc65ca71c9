package dev.redline.stores.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.HistoryChecker;
import dev.redline.testkit.redis.RedisBinary;
import dev.redline.testkit.redis.RedisCluster;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A slot migrates to another master and back while several nodes use its buckets. */
@Tag("faults")
class ReshardingTest {
  private static final int LANE = 1;

  @RegisterExtension
  static final RedisExtension<RedisCluster> REDIS =
      RedisExtension.of(() -> RedisCluster.start(RedisBinary.any(), 2, false));

  /** Moves a slot key by key, the way redis-cli does. */
  private static void move(int slot, RedisServer from, RedisServer to) {
    String number = Integer.toString(slot);
    String fromId = String.valueOf(from.command("CLUSTER", "MYID"));
    String toId = String.valueOf(to.command("CLUSTER", "MYID"));
    to.command("CLUSTER", "SETSLOT", number, "IMPORTING", fromId);
    from.command("CLUSTER", "SETSLOT", number, "MIGRATING", toId);
    List<String> keys = keys(from, number);
    while (!keys.isEmpty()) {
      List<String> migrate =
          new ArrayList<>(
              List.of("MIGRATE", "127.0.0.1", Integer.toString(to.port()), "", "0", "5000"));
      migrate.add("KEYS");
      migrate.addAll(keys);
      from.command(migrate.toArray(String[]::new));
      keys = keys(from, number);
    }
    to.command("CLUSTER", "SETSLOT", number, "NODE", toId);
    from.command("CLUSTER", "SETSLOT", number, "NODE", toId);
  }

  private static List<String> keys(RedisServer server, String slot) {
    Object found = server.command("CLUSTER", "GETKEYSINSLOT", slot, "1");
    return ((List<?>) found).stream().map(String::valueOf).toList();
  }

  @Test
  void decidesExactlyWhileSlotMigrates() {
    SlotTags tags = new SlotTags(SlotTags.countFor(2));
    List<String> callers = new ArrayList<>();
    for (int i = 0; callers.size() < 12; i++) {
      String caller = "caller-" + i;
      if (tags.laneOf(caller.getBytes(US_ASCII)) == LANE) {
        callers.add(caller);
      }
    }
    RedisServer here = REDIS.get().masters().get(0);
    RedisServer there = REDIS.get().masters().get(1);
    int slot = tags.slot(LANE);
    try (Nodes nodes = new Nodes(REDIS.get().uri())) {
      try (ConcurrentLoad load =
          new ConcurrentLoad(
              nodes.add(2),
              8,
              random -> {
                Acquisition acquisition = ConcurrentLoad.mixed(1).apply(random);
                String caller = callers.get(random.nextInt(callers.size()));
                Acquisition.Builder moved = Acquisition.builder();
                for (int i = 0; i < acquisition.size(); i++) {
                  RateLimitKey key = new RateLimitKey(acquisition.key(i).limits(), caller);
                  moved.add(key, acquisition.cost(i), acquisition.shadow(i));
                }
                return moved.build();
              })) {
        load.awaitDecisions(500);
        for (int i = 0; i < 3; i++) {
          move(slot, here, there);
          load.awaitDecisions(300);
          move(slot, there, here);
          load.awaitDecisions(300);
        }
        assertThat(load.failures()).isEmpty();
      }
      HistoryChecker.Report report = HistoryChecker.check(nodes.history());
      System.out.println("resharding: " + report);
      assertThat(report.buckets()).isEqualTo(36);
    }
  }
}
