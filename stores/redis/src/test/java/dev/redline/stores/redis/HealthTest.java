package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.redis.FaultProxy;
import dev.redline.testkit.redis.RedisExtension;
import dev.redline.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The health of Redis as the store polls it in the background. */
@Tag("faults")
class HealthTest {
  @RegisterExtension static final RedisExtension<RedisServer> REDIS = RedisExtension.standalone();

  private static RedisStore start(String uri) {
    RedisStore store = RedisStore.start(RedisSettings.of(uri));
    assertThat(store.awaitReady(Duration.ofSeconds(30))).isTrue();
    return store;
  }

  @Test
  void pingMayTakeLongerThanCommandTimeout() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      proxy.delayReplies(Duration.ofMillis(150));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> store.health().latency().orElse(Duration.ZERO).toMillis() >= 100);
      assertThat(store.health().up()).isTrue();
    }
  }

  @Test
  void namesAddressWhileDown() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri().replace("redis://", "redis://:s3cret@"))) {
      proxy.stall();
      await().atMost(Duration.ofSeconds(20)).until(() -> !store.health().up());
      assertThat(store.health().reason().orElseThrow())
          .contains("127.0.0.1:" + proxy.port())
          .doesNotContain("s3cret");
    }
  }

  @Test
  void keepsPollingWhenObserverThrows() {
    AtomicInteger recoveries = new AtomicInteger();
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      store.observe(
          new CallObserver() {
            @Override
            public void answered(String node, long nanos) {}

            @Override
            public void failed(String node, long nanos, StoreException failure) {}

            @Override
            public void recovered() {
              if (recoveries.incrementAndGet() == 1) {
                throw new OutOfMemoryError("on purpose");
              }
              throw new IllegalStateException("on purpose");
            }
          });
      for (int i = 1; i <= 3; i++) {
        int outages = i;
        proxy.stall();
        await().atMost(Duration.ofSeconds(20)).until(() -> !store.health().up());
        proxy.resume();
        await().atMost(Duration.ofSeconds(20)).until(() -> recoveries.get() == outages);
      }
    }
  }

  /** Collects the log lines of a class, unless named the connector, at INFO and above. */
  private static final class Lines extends Handler implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    Lines() {
      this(Connector.class);
    }

    Lines(Class<?> type) {
      logger = Logger.getLogger(type.getName());
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().intValue() >= Level.INFO.intValue()) {
        lines.add(line.getLevel() + " " + line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }

  private static void outage(FaultProxy proxy, RedisStore store) {
    proxy.stall();
    await().atMost(Duration.ofSeconds(20)).until(() -> !store.health().up());
    proxy.resume();
    await().atMost(Duration.ofSeconds(20)).until(() -> store.health().up());
  }

  @Test
  void logsOutageAndItsEndOnceWithAddress() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri());
        Lines log = new Lines()) {
      outage(proxy, store);
      String address = "127.0.0.1:" + proxy.port();
      assertThat(log.lines)
          .containsExactly(
              "WARNING Redis at " + address + " did not reply within 1000 ms",
              "INFO Redis at " + address + " replies again");
    }
  }

  @Test
  void doesNotLogOutageThatObserverHasLogged() {
    try (FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri());
        Lines log = new Lines()) {
      AtomicInteger recoveries = new AtomicInteger();
      store.observe(
          new CallObserver() {
            @Override
            public void answered(String node, long nanos) {}

            @Override
            public void failed(String node, long nanos, StoreException failure) {}

            @Override
            public boolean away() {
              return true;
            }

            @Override
            public void recovered() {
              recoveries.incrementAndGet();
            }
          });
      outage(proxy, store);
      await().until(() -> recoveries.get() == 1);
      assertThat(log.lines).isEmpty();
    }
  }

  @Test
  void isDownWhileRepliesAreMalformedAndLogsOneLine() {
    Acquisition one =
        Acquisition.of(new RateLimitKey(Nodes.rule("per-user", Nodes.slow(10)), "ann"), 1);
    try (Lines log = new Lines(RedisStore.class);
        FaultProxy proxy = FaultProxy.to(REDIS.get());
        RedisStore store = start(proxy.uri())) {
      for (String reply : List.of("*1\r\n:1\r\n", "*2\r\n$2\r\nhi\r\n:1\r\n")) {
        proxy.replyInstead(reply);
        assertThatThrownBy(() -> store.acquireAndWait(one)).isInstanceOf(StoreException.class);
        assertThat(store.health().up()).isFalse();
        assertThat(store.health().reason().orElseThrow())
            .contains("127.0.0.1:" + proxy.port() + ": malformed reply to a script call: ");
        proxy.replyInstead(null);
        store.acquireAndWait(one);
        assertThat(store.health().up()).isTrue();
      }
      assertThat(log.lines)
          .singleElement()
          .asString()
          .contains("WARNING Redis at 127.0.0.1:" + proxy.port(), "rule per-user")
          .doesNotContain("ann");
    }
  }

  @Test
  void malformedValueOfOneCallerIsLoggedAndLeavesHealthUp() {
    RateLimitKey key = new RateLimitKey(Nodes.rule("per-user", Nodes.slow(10)), "eve");
    try (Lines log = new Lines(RedisStore.class);
        RedisStore store = start(REDIS.get().uri())) {
      REDIS
          .get()
          .command(
              "SET", new String(store.keys().of(key).bytes(), StandardCharsets.UTF_8), "poison");
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> store.acquireAndWait(Acquisition.of(key, 1)))
            .isInstanceOf(StoreException.class);
      }
      assertThat(store.health().up()).isTrue();
      assertThat(log.lines)
          .singleElement()
          .asString()
          .contains("value of a bucket", "rule per-user")
          .doesNotContain("eve");
    }
  }

  @Test
  void logsAbsentServerOnce() {
    int port = RedisServer.freePort();
    try (Lines log = new Lines();
        RedisStore store =
            RedisStore.start(RedisSettings.of("redis://:s3cret@127.0.0.1:" + port))) {
      assertThat(store.awaitReady(Duration.ofSeconds(1))).isFalse();
      assertThat(log.lines)
          .singleElement()
          .asString()
          .contains("WARNING not connected to Redis at 127.0.0.1:" + port)
          .doesNotContain("s3cret");
    }
  }

  @Test
  void leavesNoConnectionWhenClosedWhileConnecting() throws Exception {
    Logger logger = Logger.getLogger(Connector.class.getName());
    AtomicReference<RedisStore> started = new AtomicReference<>();
    CountDownLatch isStarted = new CountDownLatch(1);
    CountDownLatch isClosed = new CountDownLatch(1);
    Handler closing =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (String.valueOf(record.getMessage()).startsWith("connected to Redis")) {
              try {
                isStarted.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              started.get().close();
              isClosed.countDown();
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    long before = timerThreads();
    logger.addHandler(closing);
    try {
      started.set(RedisStore.start(RedisSettings.of(REDIS.get().uri())));
      isStarted.countDown();
      assertThat(isClosed.await(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      logger.removeHandler(closing);
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> timerThreads() <= before);
  }

  /** Counts the timer threads, one for each connection. */
  private static long timerThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("redline-redis-timer"))
        .count();
  }
}
