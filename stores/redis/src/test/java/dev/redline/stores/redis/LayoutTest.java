package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The number of hash tags, on which all processes with one prefix agree. */
@Tag("faults")
class LayoutTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private final String prefix = "t" + UUID.randomUUID();
  private final String tags = prefix + ":m:tags";

  private RedisStore start() {
    return start(REDIS.get().uri());
  }

  private RedisStore start(String uri) {
    return RedisStore.start(
        RedisSettings.of(uri).withKeyPrefix(prefix).withCommandTimeout(Duration.ofSeconds(2)));
  }

  private static void awaitReady(RedisStore store) {
    assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void choosesPowerOfTwoBetweenTwoAndFourTimesTheMasters() {
    assertThat(SlotTags.countFor(1)).isEqualTo(2);
    assertThat(SlotTags.countFor(2)).isEqualTo(4);
    assertThat(SlotTags.countFor(3)).isEqualTo(8);
    assertThat(SlotTags.countFor(4)).isEqualTo(8);
    assertThat(SlotTags.countFor(5)).isEqualTo(16);
    assertThat(SlotTags.countFor(9)).isEqualTo(32);
    assertThat(SlotTags.countFor(1000)).isEqualTo(2048);
  }

  @Test
  void everyTagLiesInItsOwnShareOfTheSlots() {
    for (int count : new int[] {1, 8, 64, 4096}) {
      SlotTags all = new SlotTags(count);
      for (int lane = 0; lane < count; lane++) {
        assertThat(all.slot(lane) / (16_384 / count)).isEqualTo(lane);
      }
    }
  }

  @Test
  void usesNumberThatAnEarlierVersionWrote() {
    REDIS.get().command("SET", tags, "64");
    try (RedisStore store = start()) {
      awaitReady(store);
      assertThat(store.keys().tags().count()).isEqualTo(64);
    }
    assertThat(REDIS.get().command("GET", tags)).isEqualTo("64");
  }

  @Test
  void doesNotStartWithImpossibleNumber() {
    REDIS.get().command("SET", tags, "12");
    try (RedisStore store = start()) {
      await().until(() -> store.health().reason().orElse("").contains(tags + " in Redis is '12'"));
      assertThat(store.awaitReady(Duration.ZERO)).isFalse();
    }
  }

  @Test
  void writesNumberAgainWhenRedisLosesIt() {
    try (RedisStore store = start()) {
      awaitReady(store);
      REDIS.get().command("DEL", tags);
      await().until(() -> "16".equals(REDIS.get().command("GET", tags)));
    }
  }

  @Test
  void goesOnAfterRepliesThatAreNoPossibleNumber() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      awaitReady(store);
      for (String reply :
          List.of("$-1\r\n", "$0\r\n\r\n", "$2\r\n12\r\n", ":5\r\n", "-ERR no\r\n")) {
        int before = proxy.replaced();
        proxy.replyInsteadTo("GET", () -> reply);
        await().until(() -> proxy.replaced() > before + 3);
        assertThat(store.health().up()).as(reply).isTrue();
        store.acquireAndWait(one());
      }
    }
  }

  @Test
  void oneReplyWithAnotherNumberDoesNotStopIt() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      awaitReady(store);
      AtomicInteger polls = new AtomicInteger();
      proxy.replyInsteadTo("GET", () -> "$1\r\n" + (1 << polls.getAndIncrement() % 4) + "\r\n");
      await().until(() -> polls.get() > 4);
      assertThat(store.health().up()).isTrue();
      store.acquireAndWait(one());
    }
  }

  private static Acquisition one() {
    return Acquisition.of(new RateLimitKey(Nodes.rule("r", Nodes.slow(10)), "somebody"), 1);
  }

  @Test
  void stopsWhileNumberIsAnother() {
    try (RedisStore store = start()) {
      awaitReady(store);
      REDIS.get().command("SET", tags, "32");
      await().until(() -> !store.health().up());
      assertThat(store.health().reason().orElse("")).contains("from 16 to '32'", "restarted");
      assertThatThrownBy(() -> store.acquireAndWait(one()))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("restarted");
      REDIS.get().command("SET", tags, "16");
      await().until(() -> store.health().up());
      store.acquireAndWait(one());
    }
  }
}
