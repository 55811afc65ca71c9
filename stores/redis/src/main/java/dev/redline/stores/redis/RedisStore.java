package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.StoreHealth;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The store {@code REDIS}: bucket state in Redis or Valkey, exact by the server's clock, shared by
 * every process that uses the same prefix.
 *
 * <p>Standalone, Sentinel and Cluster; which one it is, is found out by asking. Acquisitions that
 * come while a call is under way leave together in the next one. An acquisition is sent at most
 * once: what is not answered in time fails as unknown and is never repeated. Continuations of the
 * stages run on a pool of the store's own, never on the client's I/O threads.
 */
public final class RedisStore implements RemoteStore {
  private static final List<String> ONE_NODE = List.of("");

  private final RedisSettings settings;
  private final Lane[] lanes;
  private final Generations generations = new Generations();
  private final DenyCache denials = new DenyCache(generations);
  private final CompletionThreads answers = new CompletionThreads();
  private final AtomicInteger queued = new AtomicInteger();
  private final CallObservers observer = new CallObservers();
  private final BucketKey.Maker keyMaker;
  private final Deadlines deadlines;
  private final Connector connector;
  private final ScriptDispatcher calls;

  private RedisStore(RedisSettings settings, Protocol protocol) {
    this.settings = settings;
    this.lanes = new Lane[SlotTags.COUNT];
    this.keyMaker = new BucketKey.Maker(settings.keyPrefix(), protocol.layout());
    this.deadlines = new Deadlines(lanes, queued, answers, settings);
    this.connector =
        new Connector(
            settings,
            generations,
            denials,
            new WarmUp(settings, keyMaker, protocol.acquire())::run,
            observer,
            protocol.acquire(),
            protocol.refund());
    ScriptParameters.Cache shapes = new ScriptParameters.Cache(generations);
    this.calls =
        new ScriptDispatcher(
            settings, protocol, connector, deadlines, answers, denials, shapes, observer);
    Arrays.setAll(lanes, i -> new Lane(i, queued, settings, shapes, calls));
  }

  /**
   * Starts a store. Connecting goes on in the background until it succeeds; until then acquisitions
   * fail at once.
   */
  public static RedisStore start(RedisSettings settings) {
    return start(settings, Protocol.CURRENT);
  }

  static RedisStore start(RedisSettings settings, Protocol protocol) {
    RedisStore store = new RedisStore(settings, protocol);
    store.deadlines.start();
    store.connector.start();
    return store;
  }

  /** Waits until the store is connected and warm; returns whether it is. */
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
  public void observe(CallObserver newObserver) {
    observer.take(newObserver);
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    RedisConnection link = connector.link();
    if (link == null || !link.cluster()) {
      return ONE_NODE;
    }
    if (acquisition.size() == 1) {
      return List.of(link.node(BucketKey.lane(acquisition.key(0))));
    }
    Set<String> nodes = new TreeSet<>();
    for (int i = 0; i < acquisition.size(); i++) {
      nodes.add(link.node(BucketKey.lane(acquisition.key(i))));
    }
    return List.copyOf(nodes);
  }

  @Override
  public boolean refuseFromMemory(Acquisition acquisition, Outcome outcome) {
    return denials.refuseRemembered(acquisition, outcome);
  }

  @Override
  public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return denials.refuse(acquisition, outcome);
  }

  @Override
  public CompletionStage<Outcome> acquire(Acquisition acquisition) {
    return acquire(acquisition, false);
  }

  @Override
  public Outcome acquireAndWait(Acquisition acquisition) {
    try {
      return acquire(acquisition, true).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StoreException failure
          ? failure
          : calls.failure("", ScriptDispatcher.cause(e));
    }
  }

  /** Takes an acquisition; one that a thread waits for is answered without changing threads. */
  private CompletableFuture<Outcome> acquire(Acquisition acquisition, boolean waitedFor) {
    Outcome known = denials.refusal(acquisition);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    RedisConnection link = connector.link();
    if (link == null) {
      return failed(StoreException.Kind.UNAVAILABLE, connector.whyNotConnected());
    }
    int lane = link.cluster() ? BucketKey.lane(acquisition.key(0)) : 0;
    boolean oneSlot = true;
    for (int i = 1; i < acquisition.size() && link.cluster(); i++) {
      oneSlot &= BucketKey.lane(acquisition.key(i)) == lane;
    }
    long deadline = System.nanoTime() + settings.commandTimeout().toNanos();
    return oneSlot
        ? submit(new PendingAcquisition(acquisition, keyMaker, deadline, waitedFor), lane)
        : new CrossSlot(this::submit, calls::refund, acquisition, keyMaker, deadline, waitedFor)
            .take();
  }

  private PendingAcquisition submit(PendingAcquisition ticket, int lane) {
    if (lanes[lane].submit(ticket)) {
      deadlines.watch();
    } else {
      ticket.fail(
          StoreException.Kind.UNAVAILABLE,
          "more than " + settings.maxQueued() + " acquisitions wait for Redis");
    }
    return ticket;
  }

  private static CompletableFuture<Outcome> failed(StoreException.Kind kind, String why) {
    return CompletableFuture.failedFuture(new StoreException(kind, why));
  }

  /** {@inheritDoc} By one command, whatever the number of buckets. */
  @Override
  public CompletionStage<Void> reset(List<BucketLimits> owners) {
    return offTheClient(
        connector.reset(owners.stream().map(Generations::field).distinct().toList()));
  }

  @Override
  public CompletionStage<Void> reset(RateLimitKey key) {
    return offTheClient(connector.reset(keyMaker.of(key), DenyCache.notice(key)));
  }

  /**
   * Returns a stage whose continuations do not run on an I/O thread, where one that blocks would
   * keep every acquisition waiting. What is asked for this seldom needs no threads of its own.
   */
  private static <T> CompletionStage<T> offTheClient(CompletionStage<T> stage) {
    return stage.whenCompleteAsync((result, failure) -> {});
  }

  /**
   * Reads a bucket by its Redis key, for people; nothing if there is none.
   *
   * @return a stage that fails with {@link IllegalArgumentException} if the key or its value is
   *     none of ours
   */
  public CompletionStage<Optional<RedisBucket>> read(String key) {
    RedisConnection link = connector.link();
    if (link == null) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, connector.whyNotConnected()));
    }
    if (!RedisBucket.isKey(key)) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "'" + key + "' is no bucket; they begin with " + settings.keyPrefix() + ":b:"));
    }
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return offTheClient(
        link.get(name)
            .thenCombine(
                link.expiry(name),
                (value, millis) ->
                    value == null
                        ? Optional.empty()
                        : Optional.of(RedisBucket.read(key, value, Duration.ofMillis(millis)))));
  }

  /** Forgets what this node remembers of a refused key. */
  void forget(RateLimitKey key) {
    denials.forget(key);
  }

  @Override
  public void close() {
    connector.close();
    deadlines.close();
    answers.close();
  }
}
