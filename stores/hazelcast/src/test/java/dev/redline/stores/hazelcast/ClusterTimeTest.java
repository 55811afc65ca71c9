package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.core.HazelcastInstance;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ClusterTimeTest {
  /** How far the cluster's time is from the clock of this member, in milliseconds. */
  private final AtomicLong distance = new AtomicLong();

  private final HazelcastInstance member = member();

  private HazelcastInstance member() {
    ConcurrentMap<String, Object> context = new ConcurrentHashMap<>();
    Cluster cluster =
        proxy(Cluster.class, "getClusterTime", () -> System.currentTimeMillis() + distance.get());
    return (HazelcastInstance)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {HazelcastInstance.class},
            (instance, method, arguments) ->
                switch (method.getName()) {
                  case "getUserContext" -> context;
                  case "getCluster" -> cluster;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static <T> T proxy(Class<T> type, String name, Supplier<Object> result) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (instance, method, arguments) -> {
              if (!method.getName().equals(name)) {
                throw new UnsupportedOperationException(method.getName());
              }
              return result.get();
            }));
  }

  /** Returns how far the time is from the clock of this process, in milliseconds. */
  private long offsetMillis() {
    long clock = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    return Math.round((ClusterTime.of(member).nowMicros() - clock) / 1000.0);
  }

  @Test
  void followsTheClustersTimeIfItIsFarAway() {
    distance.set(60_000);
    assertThat(offsetMillis()).isBetween(59_000L, 62_000L);
    distance.set(-30_000);
    await().until(() -> offsetMillis() < -28_000);
    assertThat(offsetMillis()).isBetween(-32_000L, -28_000L);
  }

  @Test
  void ignoresSmallDistances() {
    distance.set(300);
    assertThat(offsetMillis()).isBetween(-100L, 100L);
  }
}
