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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
  private final Protocol protocol;
  private final Lanes lanes = new Lanes();
  private final Generations generations = new Generations();
  private final DenyCache denyCache = new DenyCache(generations::of);
  private final CompletionThreads completionThreads = new CompletionThreads();
  private final QueueLimit queueLimit;
  private final CallObservers observer = new CallObservers();
  private final Deadlines deadlines;
  private final Connector connector;
  private final ScriptDispatcher dispatcher;
  private final RefundDispatcher refunds;
  private final @Nullable Leases leases;
  private final ScriptParameters.Cache parameters = new ScriptParameters.Cache(generations);
  private volatile BucketKey.@Nullable Maker keys;

  private RedisStore(
      RedisSettings settings, Protocol protocol, LeaseRules leaseRules, LeaseLog leaseLog) {
    this.settings = settings;
    this.protocol = protocol;
    this.queueLimit =
        new QueueLimit(4 * settings.maxBatch(), settings.maxQueued(), settings.commandTimeout());
    this.deadlines = new Deadlines(lanes, queueLimit, completionThreads, settings);
    this.connector =
        new Connector(
            settings,
            generations,
            this::forgetBucket,
            new WarmUp(settings, protocol),
            observer,
            this::use,
            protocol.scripts(settings.lease().enabled()));
    this.leases =
        settings.lease().enabled()
            ? new Leases(
                settings, generations, leaseRules, leaseLog, new LeaseSender(), this::refundLeases)
            : null;
    deadlines.watch(leases);
    this.dispatcher =
        new ScriptDispatcher(
            settings,
            protocol,
            connector,
            deadlines,
            completionThreads,
            denyCache,
            leases,
            parameters,
            observer,
            queueLimit);
    this.refunds =
        new RefundDispatcher(
            connector, protocol, limits -> leases != null && leases.mayLease(limits));
  }

  /** Forgets what is known of the bucket that a notice names. */
  private void forgetBucket(String notice) {
    denyCache.forget(notice);
    if (leases != null) {
      leases.end().forget(notice);
    }
  }

  /** The way of leases to Redis. */
  private final class LeaseSender implements LeaseAcquirer.Sender {
    @Override
    public void send(LeaseRequest request) {
      RedisConnection connection = connector.connection();
      if (connection == null) {
        request.fail(StoreException.Kind.UNAVAILABLE, connector.notConnectedReason());
      } else {
        enqueue(request, connection.cluster() ? request.key(0).lane() : 0);
      }
    }

    @Override
    public BucketKey.@Nullable Maker keysOrNull() {
      return keys;
    }
  }

  private void refundLeases(List<LeaseEnd.ClosedBlock> blocks) {
    refunds.refund(blocks, keys(), Objects.requireNonNull(leases).end()::refunded);
  }

  /** Uses the hash tags that Redis says, before the connection is published. */
  private void use(SlotTags tags) {
    keys = new BucketKey.Maker(settings.keyPrefix(), protocol.layout(), tags);
    lanes.open(
        tags.count(), i -> new Lane(tags.slot(i), queueLimit, settings, parameters, dispatcher));
  }

  /** Returns what makes keys; only while there is a connection. */
  BucketKey.Maker keys() {
    return Objects.requireNonNull(keys, "not connected");
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
    store.deadlines.start();
    store.connector.start();
    return store;
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
    return connector.health();
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
      nodes.add(RedisConnection.address(connection.master(slot)));
    }
    return List.copyOf(nodes);
  }

  @Override
  public boolean denyFromMemory(Acquisition acquisition, Outcome outcome) {
    return denyCache.denyWhileStoreFails(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return (leases != null && leases.spend(acquisition, outcome))
        || denyCache.deny(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return acquire(acquisition, Waiter.CONTINUATIONS);
  }

  @Override
  public CompletionStage<Outcome> acquireForEventLoop(Acquisition acquisition) {
    return acquire(acquisition, Waiter.EVENT_LOOP);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    try {
      return acquire(acquisition, Waiter.THREAD).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure
          ? failure
          : dispatcher.failure("", ScriptDispatcher.cause(e));
    }
  }

  /**
   * Sends an acquisition to Redis. Does not use the deny cache: callers try {@link #acquireNow}
   * first.
   */
  private CompletableFuture<Outcome> acquire(Acquisition acquisition, Waiter waiter) {
    RedisConnection connection = connector.connection();
    if (connection == null) {
      return failed(StoreException.Kind.UNAVAILABLE, connector.notConnectedReason());
    }
    long now = System.nanoTime();
    if (leases != null) {
      leases.count(acquisition, now);
    }
    long deadline = now + settings.commandTimeout().toNanos();
    PendingAcquisition pending = new PendingAcquisition(acquisition, keys(), deadline, waiter);
    if (!connection.cluster()) {
      return submit(pending, 0);
    }
    int lane = pending.key(0).lane();
    for (int i = 1; i < acquisition.size(); i++) {
      if (pending.key(i).lane() != lane) {
        return new CrossSlot(this::submit, refunds::refund, this::include, pending).take();
      }
    }
    return submit(pending, lane);
  }

  private void include(Acquisition acquisition, Outcome outcome) {
    if (leases != null) {
      leases.include(acquisition, outcome);
    }
  }

  private PendingAcquisition submit(PendingAcquisition pending, int lane) {
    enqueue(pending, lane);
    return pending;
  }

  private void enqueue(PendingAcquisition pending, int lane) {
    if (lanes.get(lane).submit(pending)) {
      deadlines.wakeUp();
    } else {
      pending.fail(
          StoreException.Kind.UNAVAILABLE,
          "more than " + queueLimit.limit() + " acquisitions are queued for Redis");
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
    BucketKey.Maker current = keys;
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
    return leases == null ? 0 : leases.holds(key);
  }

  /** Removes the denial of a key from the deny cache of this process. */
  void forget(RateLimitKey key) {
    denyCache.forget(key);
  }

  @Override
  public Optional<TokenLeases> leases() {
    return leases == null ? Optional.empty() : Optional.of(leases.counts());
  }

  /**
   * {@inheritDoc} Refunds leased tokens first, for at most the time that an acquisition may take.
   */
  @Override
  public void close() {
    if (leases != null) {
      leases.end().close();
      refunds.awaitReplies(settings.commandTimeout());
    }
    connector.close();
    deadlines.close();
    completionThreads.close();
  }
}
