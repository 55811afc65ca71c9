package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.internal.StoreLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A value that is not the entry of a caller: only acquisitions of this caller fail, and no circuit
 * breaker counts them.
 */
class MalformedEntryTest {
  private static HazelcastInstance instance;
  private static final List<HazelcastStore> STORES = new ArrayList<>();

  /** Calls that the stores have reported as failures of a member. */
  private static final List<StoreException> FAILED_CALLS = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() {
    // Values are kept serialized, so that one can be stored that cannot be read.
    Config config = new Config().setClusterName("malformed-" + System.nanoTime());
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.addMapConfig(
        new MapConfig(HazelcastStore.BUCKETS).setInMemoryFormat(InMemoryFormat.BINARY));
    instance = Hazelcast.newHazelcastInstance(config);
    String address = "127.0.0.1:" + instance.getCluster().getLocalMember().getAddress().getPort();
    STORES.add(HazelcastStore.start(instance, Clusters.TIMEOUT));
    STORES.add(
        HazelcastStore.start(
            HazelcastSettings.client(address)
                .withClusterName(config.getClusterName())
                .withTimeout(Clusters.TIMEOUT)));
    STORES.forEach(store -> store.observe(new FailedCalls()));
  }

  @AfterAll
  static void stop() {
    STORES.forEach(HazelcastStore::close);
    instance.shutdown();
  }

  private static IMap<String, Object> buckets() {
    return instance.getMap(HazelcastStore.BUCKETS);
  }

  /** Returns every way to acquire from a store. */
  private static List<Function<Acquisition, Outcome>> ways(HazelcastStore store) {
    RateLimitKey global = Clusters.key("all", 1000, "");
    return List.of(
        store::acquireAndWait,
        acquisition -> join(() -> store.acquire(acquisition).toCompletableFuture().join()),
        acquisition ->
            join(() -> store.acquireForEventLoop(acquisition).toCompletableFuture().join()),
        acquisition ->
            store.acquireAndWait(
                Acquisition.builder().take(acquisition.key(0), 1).take(global, 1).build()));
  }

  private static Outcome join(Supplier<Outcome> stage) {
    try {
      return stage.get();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : e;
    }
  }

  private static List<Object> malformed() {
    CallerEntry otherShape = CallerEntry.read(null);
    long now = System.currentTimeMillis() * 1000;
    String name = CallerEntry.name(two("").limits());
    otherShape.put(name, 0, now + 3_600_000_000L, 0, new long[] {1, 2, 3, 4, 5});
    byte[] cut = otherShape.write(now);
    return List.of(
        new byte[0],
        new byte[] {2},
        new byte[] {1, 2, 3},
        cut,
        Arrays.copyOf(cut, cut.length - 1),
        "text",
        new Unreadable());
  }

  private static RateLimitKey two(String identity) {
    return Clusters.key("two", 2, identity);
  }

  @Test
  void failsOnlyItsOwnAcquisitionsAndNoMember() {
    int number = 0;
    for (Object value : malformed()) {
      for (HazelcastStore store : STORES) {
        for (Function<Acquisition, Outcome> way : ways(store)) {
          String poisoned = "poisoned-" + number++;
          buckets().set(CallerEntry.key(poisoned), value);
          FAILED_CALLS.clear();
          assertThatThrownBy(() -> way.apply(Acquisition.of(two(poisoned), 1)))
              .as("%s", value)
              .isInstanceOf(StoreException.class)
              .extracting(e -> ((StoreException) e).kind())
              .isEqualTo(StoreException.Kind.BAD_STATE);
          assertThat(FAILED_CALLS).isEmpty();
          assertThat(buckets().containsKey(CallerEntry.key(poisoned))).isTrue();
          if (value instanceof byte[]) {
            assertThat(buckets().get(CallerEntry.key(poisoned))).isEqualTo(value);
          }
          assertThat(way.apply(Acquisition.of(two("healthy-" + number), 1)).allowed()).isTrue();
        }
      }
    }
  }

  /** Other limits of the same caller, whose bucket can be read. */
  @Test
  void oneBucketThatCannotBeReadFailsNoOther() {
    CallerEntry entry = CallerEntry.read(null);
    long now = System.currentTimeMillis() * 1000;
    String name = CallerEntry.name(two("").limits());
    entry.put(name, 0, now + 3_600_000_000L, 0, new long[] {1, 2, 3, 4, 5});
    buckets().set(CallerEntry.key("half"), entry.write(now));
    RateLimitKey other =
        new RateLimitKey(
            StoreLoad.rule("other", RateLimitBand.of(1, 1, Duration.ofHours(1))), "half");
    assertThat(Clusters.drain(STORES.get(0), other)).isEqualTo(1);
    assertThatThrownBy(() -> Clusters.take(STORES.get(0), two("half")))
        .isInstanceOf(StoreException.class);
  }

  /** It would stay for ever, because it does not expire. */
  @Test
  void aResetOfTheCallerReplacesIt() throws Exception {
    int number = 0;
    for (Object value : malformed()) {
      String poisoned = "reset-" + number++;
      buckets().set(CallerEntry.key(poisoned), value);
      STORES.get(0).reset(two(poisoned)).toCompletableFuture().get(10, TimeUnit.SECONDS);
      assertThat(Clusters.drain(STORES.get(0), two(poisoned))).isEqualTo(2);
    }
  }

  private static final class FailedCalls implements CallObserver {
    @Override
    public void answered(String node, long nanos) {}

    @Override
    public void failed(String node, long nanos, StoreException failure) {
      FAILED_CALLS.add(failure);
    }

    @Override
    public void recovered() {}
  }

  /** A value that can be written and not read, such as one of a class that the member lacks. */
  static final class Unreadable implements DataSerializable {
    private static final long serialVersionUID = 1L;

    /** For Hazelcast. */
    Unreadable() {}

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) throws IOException {
      throw new IOException("cannot be read");
    }
  }
}
