package dev.redline.stores.redis;

import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import dev.redline.stores.redis.internal.SimulatedStore;
import dev.redline.stores.redis.internal.SimulatedWorld;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The store {@code REDIS}: bucket state in Redis or Valkey, exact by the server's clock, shared by
 * every process that uses the same prefix.
 *
 * <p>Standalone, Sentinel and Cluster are detected on connecting. Acquisitions that are submitted
 * while a call is in flight are sent together in the next call. An acquisition is sent at most
 * once: one without a reply in time fails, and is never repeated because it may have been taken.
 * Continuations of the stages run on the store's own threads, never on the client's I/O threads.
 */
public final class RedisStore implements RemoteStore {
  private static final List<String> ONE_NODE = List.of("");

  private final RedisSettings settings;
  private final CallObservers observer = new CallObservers();
  private final Connector connector;
  private final AcquisitionPath path;

  private RedisStore(
      RedisSettings settings, Protocol protocol, LeaseRules leaseRules, LeaseLog leaseLog) {
    this.settings = settings;
    Generations generations = new Generations();
    this.connector =
        new Connector(
            settings,
            generations,
            this::forgetBucket,
            new WarmUp(settings, protocol),
            observer,
            this::use,
            protocol.scripts(settings.lease().enabled()));
    this.path =
        new AcquisitionPath(
            settings,
            protocol,
            leaseRules,
            leaseLog,
            generations,
            observer,
            new CompletionThreads(),
            System::nanoTime,
            connector);
  }

  private void forgetBucket(String notice) {
    path.forget(notice);
  }

  private void use(SlotTags tags) {
    path.use(tags);
  }

  /** Returns what makes keys; only while there is a connection. */
  BucketKey.Maker keys() {
    return path.keys();
  }

  /**
   * Starts a store. It connects in the background, retrying until it succeeds; until then
   * acquisitions fail at once.
   */
  public static RedisStore start(RedisSettings settings) {
    return start(settings, Protocol.CURRENT);
  }

  static RedisStore start(RedisSettings settings, Protocol protocol) {
    return start(settings, protocol, LeaseRules.CURRENT, LeaseLog.NONE);
  }

  static RedisStore start(
      RedisSettings settings, Protocol protocol, LeaseRules leaseRules, LeaseLog leaseLog) {
    RedisStore store = new RedisStore(settings, protocol, leaseRules, leaseLog);
    store.path.deadlines().start();
    store.connector.start();
    return store;
  }

  /**
   * Returns the part of a store between callers and connection, in a simulated world. For
   * simulations of this project.
   *
   * @param tokensDecay whether leased tokens expire as refill replaces them, as they must; if not,
   *     the store allows too much, and a check of the simulation has to notice it
   */
  public static SimulatedStore simulate(
      RedisSettings settings, SimulatedWorld world, boolean tokensDecay) {
    return new SimulatedConnection(world, Protocol.CURRENT)
        .store(settings, tokensDecay ? LeaseRules.CURRENT : SimulatedConnection.WITHOUT_DECAY);
  }

  /** Waits until the store is connected and warmed up; returns whether it is. */
  public boolean awaitReady(Duration atMost) {
    return connector.awaitReady(atMost);
  }

  @Override
  public String type() {
    return "redis";
  }

  @Override
  public StoreHealth health() {
    StoreHealth health = connector.health();
    Optional<String> badReply = health.up() ? path.badReply() : Optional.empty();
    return badReply.isEmpty()
        ? health
        : new StoreHealth(false, badReply, health.latency(), health.details());
  }

  @Override
  public Duration commandTimeout() {
    return settings.commandTimeout();
  }

  @Override
  public void observe(CallObserver newObserver) {
    observer.set(newObserver);
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    RedisConnection connection = connector.connection();
    if (connection == null || !connection.cluster()) {
      return ONE_NODE;
    }
    Set<String> nodes = new TreeSet<>();
    for (int i = 0; i < acquisition.size(); i++) {
      int slot = keys().tags().slot(keys().lane(acquisition.key(i)));
      nodes.add(connection.masterAddress(slot));
    }
    return List.copyOf(nodes);
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return path.denyWhileStoreFails(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return path.acquireNow(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return path.acquire(acquisition, Waiter.CONTINUATIONS);
  }

  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return path.acquire(acquisition, Waiter.EVENT_LOOP);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    try {
      return path.acquire(acquisition, Waiter.THREAD).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure ? failure : path.failure(e);
    }
  }

  private static <T> CompletableFuture<T> failed(StoreException.Kind kind, String why) {
    return CompletableFuture.failedFuture(new StoreException(kind, why));
  }

  /** {@inheritDoc} Takes one command for any number of buckets. */
  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    return offIoThreads(
        connector.reset(owners.stream().map(Generations::field).distinct().toList()));
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    BucketKey.Maker current = path.keysOrNull();
    return current == null
        ? failed(StoreException.Kind.UNAVAILABLE, connector.notConnectedReason())
        : offIoThreads(connector.reset(current.of(key), DenyCache.notice(key)));
  }

  /**
   * Returns a stage whose continuations do not run on an I/O thread, where one that blocks would
   * delay every acquisition. Rare operations need no threads of their own for that.
   */
  private static <T> CompletionStage<T> offIoThreads(CompletionStage<T> stage) {
    return stage.whenCompleteAsync((result, failure) -> {});
  }

  /**
   * Reads a bucket by its Redis key, for inspection; empty if there is none.
   *
   * @return a stage that fails with {@link IllegalArgumentException} if the key is not that of a
   *     bucket, or its value is malformed
   */
  public CompletionStage<Optional<RedisBucket>> read(String key) {
    RedisConnection connection = connector.connection();
    if (connection == null) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, connector.notConnectedReason()));
    }
    if (!RedisBucket.isKey(key)) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "'"
                  + key
                  + "' is not the key of a bucket; these start with "
                  + settings.keyPrefix()
                  + ":b:"));
    }
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return offIoThreads(
        connection
            .get(name)
            .thenCombine(
                connection.expiry(name),
                (value, millis) ->
                    value == null
                        ? Optional.empty()
                        : Optional.of(RedisBucket.read(key, value, Duration.ofMillis(millis)))));
  }

  /** Returns how many tokens of a key this process has leased and can spend. */
  long holds(RateLimitKey key) {
    return path.holds(key);
  }

  /** Removes the denial of a key from the deny cache of this process. */
  void forget(RateLimitKey key) {
    path.forget(key);
  }

  @Override
  public Optional<TokenLeases> leases() {
    return path.leases();
  }

  /**
   * {@inheritDoc} Refunds leased tokens first, for at most the time that an acquisition may take.
   */
  @Override
  public void close() {
    path.endLeases();
    connector.close();
    path.close();
  }
}
