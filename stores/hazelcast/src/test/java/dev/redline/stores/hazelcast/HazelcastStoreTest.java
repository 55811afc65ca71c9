package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.internal.StoreLoad;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HazelcastStoreTest {
  private static Clusters cluster;
  private static HazelcastInstance instance;
  private static HazelcastStore store;

  @BeforeAll
  static void start() {
    cluster = new Clusters(1);
    store = cluster.start(cluster.embedded());
    instance = cluster.instances().get(0);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static RateLimitKey two(String identity) {
    return Clusters.key("two", 2, identity);
  }

  private static IMap<String, byte[]> buckets() {
    return instance.getMap(HazelcastStore.BUCKETS);
  }

  @Test
  void resetsOneBucketAndNoOther() throws Exception {
    RateLimitKey other = Clusters.key("other", 1, "alice");
    Clusters.drain(store, two("alice"));
    Clusters.drain(store, other);
    Acquisition denied = Acquisition.of(two("alice"), 1);
    assertThat(store.denyFromMemory(denied, new Outcome())).isTrue();
    store.reset(two("alice")).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(store.denyFromMemory(denied, new Outcome())).isFalse();
    assertThat(Clusters.drain(store, two("alice"))).isEqualTo(2);
    assertThat(Clusters.take(store, other)).isFalse();
  }

  @Test
  void resetsAllBucketsOfAnOwnerOnEveryNodeWithinASecond() throws Exception {
    HazelcastStore other = HazelcastStore.start(instance, Clusters.TIMEOUT);
    try {
      BucketLimits owner = Clusters.key("resetting", 2, "").limits();
      RateLimitKey key = new RateLimitKey(owner, "bob");
      Clusters.drain(store, key);
      store.reset(List.of(owner)).toCompletableFuture().get(10, TimeUnit.SECONDS);
      assertThat(Clusters.drain(store, key)).isEqualTo(2);
      store.reset(List.of(owner)).toCompletableFuture().get(10, TimeUnit.SECONDS);
      await().atMost(Duration.ofSeconds(3)).until(() -> Clusters.take(other, key));
      assertThat(Clusters.take(store, key)).isTrue();
      assertThat(Clusters.take(other, key)).isFalse();
    } finally {
      other.close();
    }
  }

  @Test
  void entriesExpireAfterTheirBucketsAreFull() {
    RateLimitKey quick =
        new RateLimitKey(
            StoreLoad.rule("quick", RateLimitBand.of(5, 5, Duration.ofMillis(100))), "quick");
    assertThat(Clusters.take(store, quick)).isTrue();
    long ttl = buckets().getEntryView(CallerEntry.key("quick")).getTtl();
    assertThat(ttl).isBetween(2000L, 4000L);
    assertThat(Clusters.take(store, two("quick"))).isTrue();
    assertThat(buckets().getEntryView(CallerEntry.key("quick")).getTtl())
        .isGreaterThan(Duration.ofMinutes(59).toMillis());
  }

  @Test
  void keepsTheStateOfManyBands() {
    RateLimitBand[] bands = new RateLimitBand[300];
    Arrays.setAll(bands, i -> RateLimitBand.of(2 + i, 1, Duration.ofHours(1)));
    RateLimitKey many = new RateLimitKey(StoreLoad.rule("many.bands", bands), "bands");
    assertThat(Clusters.drain(store, many)).isEqualTo(2);
    assertThat(Clusters.drain(store, two("bands"))).isEqualTo(2);
  }

  @Test
  void denialsAndDryRunsWriteNothing() {
    RateLimitKey key = two("nothing");
    store.acquireAndWait(Acquisition.of(key, 1, false, true));
    store.acquireAndWait(Acquisition.of(key, 3));
    assertThat(buckets().containsKey(CallerEntry.key("nothing"))).isFalse();
    Clusters.drain(store, key);
    byte[] before = buckets().get(CallerEntry.key("nothing"));
    Clusters.take(store, key);
    assertThat(buckets().get(CallerEntry.key("nothing"))).isEqualTo(before);
  }

  @Test
  void aDenialOfOneCallerTakesNothingFromAllCallers() {
    RateLimitKey all = Clusters.key("all", 1000, "");
    RateLimitKey own = two("denied");
    Acquisition both = Acquisition.builder().take(all, 1).take(own, 1).build();
    for (int i = 0; i < 100; i++) {
      assertThat(store.acquireAndWait(both).allowed()).isEqualTo(i < 2);
    }
    Outcome left = store.acquireAndWait(Acquisition.of(all, 998, false, true));
    assertThat(left.allowed()).isTrue();
  }

  @Test
  void continuationsThatBlockDelayNoOtherAcquisition() throws Exception {
    RateLimitKey key = Clusters.key("many", 1000, "x");
    Thread test = Thread.currentThread();
    CountDownLatch release = new CountDownLatch(1);
    try {
      Thread caller = Thread.currentThread();
      for (int i = 0; i < 100; i++) {
        store
            .acquire(Acquisition.of(key, 1))
            .thenAccept(
                outcome -> {
                  if (Thread.currentThread() == caller) {
                    // It was decided before the continuation was added, which then runs here.
                    return;
                  }
                  try {
                    // A stage that is complete already runs its continuation on this thread.
                    if (Thread.currentThread() != test) {
                      release.await();
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
      }
      assertThat(
              store
                  .acquire(Acquisition.of(key, 1))
                  .toCompletableFuture()
                  .get(10, TimeUnit.SECONDS)
                  .allowed())
          .isTrue();
    } finally {
      release.countDown();
    }
  }

  @Test
  void limitsKeepTheirMeaningOnTheWire() {
    BucketLimits limits =
        StoreLoad.rule(
            "all.kinds",
            RateLimitBand.of(7, 3, Duration.ofMillis(1)),
            RateLimitBand.builder()
                .capacity(9)
                .refillTokens(2)
                .period(Duration.ofDays(1))
                .refill(Refill.INTERVAL)
                .build(),
            RateLimitBand.slidingWindow(10, Duration.ofHours(1)),
            RateLimitBand.fixedWindow(11, Duration.ofDays(30)));
    BucketLimits read = LimitsCodec.decode(LimitsCodec.encode(limits));
    assertThat(read).isEqualTo(limits);
    BucketLimits carried =
        BucketLimits.carriedOver(
            BucketLimits.OwnerKind.PLAN, "p", List.of(RateLimitBand.of(1, 1, Duration.ofDays(1))));
    assertThat(LimitsCodec.decode(LimitsCodec.encode(carried))).isEqualTo(carried);
    assertThat(LimitsCodec.decode(LimitsCodec.encode(carried)).carriesOver()).isTrue();
  }

  @Test
  void bindsTheFirstFreeListedPortAndJoins() {
    try (Clusters three = new Clusters(3)) {
      HazelcastStore first = three.start(three.embedded());
      HazelcastStore second = three.start(three.embedded());
      await().until(() -> second.health().details().get("members").equals("2"));
      await().until(() -> first.health().details().get("members").equals("2"));
      assertThat(
              Hazelcast.getAllHazelcastInstances().stream()
                  .filter(one -> one.getConfig().getClusterName().equals(three.name()))
                  .map(one -> one.getCluster().getLocalMember().getAddress().getPort())
                  .map(Object::toString))
          .containsExactlyInAnyOrder(
              three.members()[0].replaceFirst(".*:", ""),
              three.members()[1].replaceFirst(".*:", ""));
    }
  }

  @Test
  void rejectsMembersOfWhichNoneIsHere() {
    assertThatThrownBy(() -> HazelcastStore.start(HazelcastSettings.embedded("192.0.2.1:5701")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("192.0.2.1:5701");
  }

  @Test
  void aLoneMemberDiscoversNobodyAndReportsNothing() {
    try (HazelcastStore lone =
        HazelcastStore.start(HazelcastSettings.embedded().withClusterName(cluster.name()))) {
      HazelcastInstance own =
          Hazelcast.getAllHazelcastInstances().stream()
              .filter(one -> one.getConfig().getClusterName().equals(cluster.name()))
              .filter(one -> !one.getName().equals(instance.getName()))
              .findFirst()
              .orElseThrow();
      assertThat(lone.health().details()).containsEntry("members", "1");
      Config config = own.getConfig();
      assertThat(config.getNetworkConfig().getJoin().getMulticastConfig().isEnabled()).isFalse();
      assertThat(config.getNetworkConfig().getJoin().getAutoDetectionConfig().isEnabled())
          .isFalse();
      assertThat(config.getNetworkConfig().getJoin().getTcpIpConfig().isEnabled()).isFalse();
      assertThat(config.getProperty("hazelcast.phone.home.enabled")).isEqualTo("false");
      assertThat(config.getProperty("hazelcast.operation.backup.timeout.millis")).isEqualTo("250");
      assertThat(own.getCluster().getLocalMember().getAddress().getHost()).isEqualTo("127.0.0.1");
      MapConfig map = config.findMapConfig(HazelcastStore.BUCKETS);
      assertThat(map.getBackupCount()).isEqualTo(1);
    }
  }

  /** A shorter wait would fail acquisitions that have time left. */
  @Test
  void membersWaitForABackupAsLongAsAnAcquisitionMayTake() {
    String property = "hazelcast.operation.backup.timeout.millis";
    assertThat(instance.getConfig().getProperty(property))
        .isEqualTo(Long.toString(Clusters.TIMEOUT.toMillis()));
  }

  @Test
  void readsAHazelcastConfiguration(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("hazelcast.yaml"),
            """
            hazelcast:
              cluster-name: from-file
              network:
                join:
                  auto-detection: { enabled: false }
                interfaces: { enabled: true, interfaces: [127.0.0.1] }
            """);
    HazelcastSettings settings =
        new HazelcastSettings(
            HazelcastSettings.Mode.EMBEDDED,
            Optional.of(file),
            HazelcastSettings.DEFAULT_CLUSTER_NAME,
            List.of(),
            Clusters.TIMEOUT);
    try (HazelcastStore own = HazelcastStore.start(settings)) {
      assertThat(Clusters.take(own, two("file"))).isTrue();
      assertThat(Hazelcast.getAllHazelcastInstances())
          .anyMatch(one -> one.getConfig().getClusterName().equals("from-file"));
    }
  }

  /** A member with Hazelcast alone on its class path, as an operator would start it. */
  @Test
  void aClientRejectsMembersWithoutItsCode(@TempDir Path folder) throws Exception {
    try (Clusters plain = new Clusters(1)) {
      Path config =
          Files.writeString(
              folder.resolve("hazelcast.yaml"),
              """
              hazelcast:
                cluster-name: %s
                properties: { hazelcast.phone.home.enabled: false }
                network:
                  port: { auto-increment: false, port: %s }
                  join:
                    auto-detection: { enabled: false }
                  interfaces: { enabled: true, interfaces: [127.0.0.1] }
              """
                  .formatted(plain.name(), plain.members()[0].replaceFirst(".*:", "")));
      String jar =
          Pattern.compile(Pattern.quote(System.getProperty("path.separator")))
              .splitAsStream(System.getProperty("java.class.path"))
              .filter(entry -> entry.contains("com/hazelcast"))
              .findFirst()
              .orElseThrow();
      Process member =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-Dhazelcast.config=" + config,
                  "-cp",
                  jar,
                  "com.hazelcast.core.server.HazelcastMemberStarter")
              .redirectErrorStream(true)
              .start();
      try {
        BufferedReader output =
            new BufferedReader(
                new InputStreamReader(member.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        while (line != null && !line.contains("is STARTED")) {
          line = output.readLine();
        }
        assertThat(line).as("the member started").isNotNull();
        assertThatThrownBy(() -> HazelcastStore.start(plain.client()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("redline-stores-hazelcast")
            .hasMessageContaining("class path");
      } finally {
        member.destroyForcibly();
      }
    }
  }

  @Test
  void aClientStartsWhileTheClusterIsAbsentAndConnectsLater() {
    try (Clusters late = new Clusters(1)) {
      HazelcastStore client = HazelcastStore.start(late.client());
      try {
        assertThat(client.health().up()).isFalse();
        assertThatThrownBy(() -> Clusters.take(client, two("x")))
            .isInstanceOf(StoreException.class);
        late.start(late.embedded());
        await().atMost(Duration.ofSeconds(20)).until(() -> client.health().up());
        assertThat(Clusters.take(client, two("x"))).isTrue();
      } finally {
        client.close();
      }
    }
  }

  @Test
  void allowsExactlyCapacityOnOneProcessor() throws Exception {
    try (Clusters one = new Clusters(1)) {
      Process process = one.startProcess("-XX:ActiveProcessorCount=1", "-Drequests=1000");
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      assertThat(output.readLine()).isEqualTo("1 100");
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void worksOnTheApplicationsInstanceAndLeavesItRunning() {
    try (HazelcastStore other = HazelcastStore.start(instance, Clusters.TIMEOUT)) {
      assertThat(Clusters.drain(other, two("shared"))).isEqualTo(2);
      assertThat(Clusters.take(store, two("shared"))).isFalse();
    }
    assertThat(instance.getLifecycleService().isRunning()).isTrue();
  }

  @Test
  void rejectsInvalidSettings() {
    assertThatThrownBy(() -> HazelcastSettings.client())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("members");
    assertThatThrownBy(() -> HazelcastSettings.embedded("http://x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("host:port");
    assertThatThrownBy(() -> HazelcastSettings.embedded().withClusterName(" "))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
