package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreException;
import dev.redline.testkit.History;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** Several stores on one Redis, as several processes would have them, recorded in a history. */
final class Nodes implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration YEAR = Duration.ofDays(365);

  private final String uri;
  private final String prefix;
  private final History history;
  private final List<RedisStore> stores = new ArrayList<>();
  private final List<RecordedLeaseLog> leaseLogs = new ArrayList<>();
  private Protocol protocol = Protocol.CURRENT;
  private Duration timeout = TIMEOUT;
  private LeaseSettings lease = LeaseSettings.OFF;
  private LeaseRules leaseRules = LeaseRules.CURRENT;

  Nodes(String uri) {
    this(uri, "t" + UUID.randomUUID().toString().substring(0, 8));
  }

  Nodes(String uri, String prefix) {
    this.uri = uri;
    this.prefix = prefix;
    this.history = History.acrossSlots(this::slot);
  }

  /** Returns further nodes that use the same prefix, with a history of their own. */
  Nodes beside() {
    return new Nodes(uri, prefix);
  }

  Nodes speaking(Protocol other) {
    protocol = other;
    return this;
  }

  Nodes within(Duration commandTimeout) {
    timeout = commandTimeout;
    return this;
  }

  Nodes leasing(LeaseSettings settings) {
    lease = settings;
    return this;
  }

  Nodes leasing(LeaseRules rules) {
    leaseRules = rules;
    return leasing(LeaseSettings.ON);
  }

  History history() {
    return history;
  }

  /** Starts one more node. */
  StorageProvider add() {
    return add(uri);
  }

  /** Starts one more node that reaches Redis another way. */
  StorageProvider add(String otherUri) {
    RedisSettings settings =
        RedisSettings.of(otherUri)
            .withCommandTimeout(timeout)
            .withKeyPrefix(prefix)
            .withLease(lease);
    String node = "node-" + (stores.size() + 1);
    RecordedLeaseLog leaseLog = new RecordedLeaseLog(history.recordLeases(node));
    leaseLogs.add(leaseLog);
    RedisStore store = RedisStore.start(settings, protocol, leaseRules, leaseLog);
    stores.add(store);
    if (!store.awaitReady(Duration.ofSeconds(30))) {
      throw new AssertionError("the store is not ready");
    }
    return history.record(node, store);
  }

  List<StorageProvider> add(int count) {
    List<StorageProvider> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(add());
    }
    return nodes;
  }

  /**
   * Makes keys busy until a node has leased tokens of each.
   *
   * @return how many of each were acquired
   */
  long makeBusy(int i, StorageProvider node, RateLimitKey... keys) {
    long[] acquired = new long[1];
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              List<CompletableFuture<Outcome>> all = new ArrayList<>();
              for (int n = 0; n < 40; n++) {
                for (RateLimitKey key : keys) {
                  all.add(node.acquire(Acquisition.of(key, 1)).toCompletableFuture());
                }
              }
              all.forEach(CompletableFuture::join);
              acquired[0] += 40;
              long begin = System.nanoTime();
              while (System.nanoTime() - begin < 80_000_000) {
                if (Stream.of(keys).allMatch(key -> store(i).holds(key) >= 8)) {
                  return true;
                }
                Thread.onSpinWait();
              }
              return false;
            });
    return acquired[0];
  }

  /** Returns the last request of a node for tokens ahead of demand. */
  @Nullable LeaseRequest lastLeaseRequest(int i) {
    return leaseLogs.get(i).lastRequest();
  }

  RedisStore store(int i) {
    return stores.get(i);
  }

  /** Returns the part of Redis that decides a key: outside of a cluster, one call decides all. */
  private int slot(RateLimitKey key) {
    boolean inCluster = keys().tags().count() != SlotTags.COUNT_WITHOUT_CLUSTER;
    return inCluster ? bucketKey(key).lane() : 0;
  }

  BucketKey bucketKey(RateLimitKey key) {
    return keys().of(key);
  }

  /** Returns what makes keys, by the number of tags that the first store agreed on. */
  private BucketKey.Maker keys() {
    return stores.isEmpty()
        ? new BucketKey.Maker(
            prefix, protocol.layout(), new SlotTags(SlotTags.COUNT_WITHOUT_CLUSTER))
        : stores.get(0).keys();
  }

  /** Returns the key in Redis. */
  String redisKey(RateLimitKey key) {
    return new String(bucketKey(key).bytes(), StandardCharsets.ISO_8859_1);
  }

  static BucketLimits rule(String id, RateLimitBand... bands) {
    return new BucketLimits(OwnerKind.RULE, id, List.of(bands));
  }

  /** Returns a band that refills too slowly to matter. */
  static RateLimitBand slow(long capacity) {
    return RateLimitBand.of(capacity, 1, capacity <= 100 ? YEAR : Duration.ofHours(1));
  }

  /** Returns a key of a rule on one of the masters of a cluster, counted from 0. */
  static RateLimitKey keyOn(BucketLimits limits, int master, int masters) {
    SlotTags tags = new SlotTags(SlotTags.countFor(masters));
    return key(limits, tags, lane -> tags.slot(lane) * masters / 16_384 == master);
  }

  /** Returns a key of a rule in one lane. */
  static RateLimitKey keyInLane(BucketLimits limits, SlotTags tags, int lane) {
    return key(limits, tags, candidate -> candidate == lane);
  }

  private static RateLimitKey key(BucketLimits limits, SlotTags tags, IntPredicate lanes) {
    for (int i = 0; ; i++) {
      String identity = "somebody-" + i;
      if (lanes.test(tags.laneOf(identity.getBytes(StandardCharsets.UTF_8)))) {
        return new RateLimitKey(limits, identity);
      }
    }
  }

  static Outcome take(StorageProvider node, RateLimitKey key, long cost) {
    return await(node, Acquisition.of(key, cost));
  }

  static Outcome look(StorageProvider node, RateLimitKey key) {
    return await(node, Acquisition.of(key, 1, false, true));
  }

  static Outcome await(StorageProvider node, Acquisition acquisition) {
    Outcome known = new Outcome();
    if (node.acquireNow(acquisition, known)) {
      return known;
    }
    try {
      return node.acquire(acquisition).toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (TimeoutException e) {
      throw new AssertionError("the acquisition never completes", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    }
  }

  @Override
  public void close() {
    stores.forEach(RedisStore::close);
  }
}
