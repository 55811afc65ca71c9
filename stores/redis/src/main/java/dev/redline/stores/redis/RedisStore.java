package dev.redline.stores.redis;

import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.StoreHealth;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

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
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int HOPELESS_TIMEOUTS = 3;
  private static final long RETRY_MILLIS = 5;
  private static final List<String> ONE_NODE = List.of("");

  /** How many waiting threads an I/O thread wakes itself; more would keep it from its own work. */
  private static final int WOKEN_AT_ONCE = 4;

  private final RedisSettings settings;
  private final Protocol protocol;
  private final Lane[] lanes;
  private final Generations generations = new Generations();
  private final DenyCache denials = new DenyCache(generations);
  private final Answers answers = new Answers();
  private final BucketKey.Maker keyMaker;
  private final Shape.Cache shapes = new Shape.Cache(generations);
  private final Deadlines deadlines;
  private final Connector connector;
  private final Map<String, Gate> gates = new ConcurrentHashMap<>();
  private final AtomicInteger timeoutsInARow = new AtomicInteger();
  private volatile CallObserver observer = Nobody.INSTANCE;

  private RedisStore(RedisSettings settings, Protocol protocol) {
    this.settings = settings;
    this.protocol = protocol;
    this.lanes = new Lane[SlotTags.COUNT];
    this.keyMaker = new BucketKey.Maker(settings.keyPrefix(), protocol.layout());
    Arrays.setAll(lanes, i -> new Lane(i, settings, shapes, new Calls()));
    this.deadlines = new Deadlines(lanes, answers, this::unanswered);
    this.connector =
        new Connector(
            settings,
            generations,
            new WarmUp(settings, keyMaker, protocol.acquire())::run,
            () -> observer.recovered(),
            protocol.acquire(),
            protocol.refund());
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
    observer = newObserver;
  }

  @Override
  public List<String> nodes(Acquisition acquisition) {
    RedisLink link = connector.link();
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
      throw e.getCause() instanceof StoreException failure ? failure : failure(cause(e));
    }
  }

  /** Takes an acquisition; one that a thread waits for is answered without changing threads. */
  private CompletableFuture<Outcome> acquire(Acquisition acquisition, boolean waitedFor) {
    Outcome known = denials.refusal(acquisition);
    if (known != null) {
      return CompletableFuture.completedFuture(known);
    }
    RedisLink link = connector.link();
    if (link == null) {
      return failed(StoreException.Kind.REDISERROR, connector.whyNotConnected());
    }
    int lane = link.cluster() ? BucketKey.lane(acquisition.key(0)) : 0;
    boolean oneSlot = true;
    for (int i = 1; i < acquisition.size() && link.cluster(); i++) {
      oneSlot &= BucketKey.lane(acquisition.key(i)) == lane;
    }
    long deadline = System.nanoTime() + settings.commandTimeout().toNanos();
    return oneSlot
        ? submit(new Ticket(acquisition, keyMaker, deadline, waitedFor), lane)
        : new CrossSlot(this::submit, this::refund, acquisition, keyMaker, deadline).take();
  }

  private Ticket submit(Ticket ticket, int lane) {
    if (!lanes[lane].submit(ticket)) {
      ticket.fail(
          StoreException.Kind.REDISERROR,
          "more than " + settings.maxQueued() + " acquisitions wait for Redis");
    }
    return ticket;
  }

  private static CompletableFuture<Outcome> failed(StoreException.Kind kind, String why) {
    return CompletableFuture.failedFuture(new StoreException(kind, why));
  }

  /** What a lane needs of the store. */
  private final class Calls implements Lane.Sender {
    @Override
    public @Nullable Gate gate(Lane lane) {
      RedisLink link = connector.link();
      return link == null || !link.cluster()
          ? null
          : gates.computeIfAbsent(
              link.masterId(lane.number()), absent -> new Gate(settings.maxBatch()));
    }

    @Override
    public void send(Lane lane, Batch batch) {
      RedisStore.this.send(lane, batch);
    }

    @Override
    public void expired(Ticket ticket) {
      answers.execute(
          () ->
              ticket.fail(
                  StoreException.Kind.REDISERROR,
                  "Redis was too busy: not sent within " + settings.commandTimeout()));
    }
  }

  private void send(Lane lane, Batch batch) {
    deadlines.begin(batch);
    call(lane, batch, true);
  }

  private void call(Lane lane, Batch batch, boolean byDigest) {
    RedisLink link = connector.link();
    if (link == null) {
      over(
          lane,
          batch,
          new StoreException(StoreException.Kind.REDISERROR, connector.whyNotConnected()));
      return;
    }
    NumbersOutput output = new NumbersOutput();
    try {
      link.call(
              byDigest,
              byDigest ? protocol.acquire().digest() : protocol.acquire().text(),
              batch.keys(),
              batch.arguments(),
              output)
          .whenComplete((reply, error) -> replied(lane, batch, output, error));
    } catch (RuntimeException e) {
      over(lane, batch, failure(e));
    }
  }

  private void replied(Lane lane, Batch batch, NumbersOutput output, @Nullable Throwable error) {
    if (error == null) {
      long received = System.nanoTime();
      timeoutsInARow.set(0);
      deadlines.end(batch);
      lane.finished();
      batch.leaveGate();
      observer.answered(node(lane), received - batch.tickets().get(0).sentNanos());
      if (batch.waitedFor() && batch.size() <= WOKEN_AT_ONCE) {
        settle(batch, output, received);
      } else {
        answers.giveOut(() -> settle(batch, output, received));
      }
      return;
    }
    Refusal refusal = Refusal.of(cause(error));
    if (refusal != Refusal.UNKNOWN_SCRIPT) {
      // Also before it is sent again: a lane that has to try often keeps no other from its node.
      batch.leaveGate();
    }
    switch (refusal) {
      case UNKNOWN_SCRIPT -> call(lane, batch, false);
      case NOT_NOW -> later(() -> repeat(lane, batch, cause(error)));
      case NOT_THERE -> {
        renewCluster();
        later(() -> repeat(lane, batch, cause(error)));
      }
      case SPLIT -> later(() -> split(lane, batch, cause(error)));
      case DEMOTED -> {
        renew();
        later(() -> repeat(lane, batch, cause(error)));
      }
      case UNANSWERED -> {
        if (timeoutsInARow.incrementAndGet() >= HOPELESS_TIMEOUTS) {
          renew();
        }
        over(lane, batch, failure(cause(error)));
      }
      case FAILED -> over(lane, batch, failure(cause(error)));
    }
  }

  private void renew() {
    RedisLink link = connector.link();
    if (link != null) {
      link.renew();
    }
  }

  /** Asks a cluster for its masters anew; a single server is reconnected to by itself. */
  private void renewCluster() {
    RedisLink link = connector.link();
    if (link != null && link.cluster()) {
      link.renew();
    }
  }

  private void later(Runnable action) {
    CompletableFuture.delayedExecutor(RETRY_MILLIS, TimeUnit.MILLISECONDS, answers).execute(action);
  }

  /** Sends a batch again that the server certainly did not run, while somebody still waits. */
  private void repeat(Lane lane, Batch batch, Throwable why) {
    if (batch.tickets().stream().allMatch(Ticket::isDone)) {
      over(lane, batch, failure(why));
    } else {
      call(lane, batch, true);
    }
  }

  /** Sends the acquisitions of a batch one by one, while its slot moves to another master. */
  private void split(Lane lane, Batch batch, Throwable why) {
    if (batch.size() == 1) {
      repeat(lane, batch, why);
      return;
    }
    deadlines.end(batch);
    for (Ticket ticket : batch.tickets()) {
      Batch single = new Batch(shapes);
      single.add(ticket);
      lane.started();
      send(lane, single);
    }
    lane.finished();
  }

  private void settle(Batch batch, NumbersOutput output, long received) {
    if (output.foreign()) {
      fail(
          batch,
          new StoreException(
              StoreException.Kind.BADTYPES,
              "Redis answered the script with other things than numbers"));
      return;
    }
    try {
      batch.read(
          output.get(),
          output.size(),
          new Batch.Listener() {
            @Override
            public void decided(Ticket ticket, Outcome outcome) {
              if (!ticket.acquisition().dryRun()) {
                denials.learn(ticket, outcome, received);
              }
              ticket.complete(outcome);
            }

            @Override
            public void unreadable(Ticket ticket) {
              ticket.fail(
                  StoreException.Kind.BADTYPES, "a bucket in Redis holds a value that is not ours");
            }
          });
    } catch (Batch.MalformedReplyException e) {
      fail(
          batch,
          new StoreException(StoreException.Kind.BADRESPONSE, String.valueOf(e.getMessage()), e));
    }
  }

  private String node(Lane lane) {
    RedisLink link = connector.link();
    return link == null ? "" : link.node(lane.number());
  }

  private void over(Lane lane, Batch batch, StoreException failure) {
    deadlines.end(batch);
    lane.finished();
    batch.leaveGate();
    long sent = batch.tickets().get(0).sentNanos();
    observer.failed(node(lane), System.nanoTime() - sent, failure);
    answers.execute(() -> fail(batch, failure));
  }

  private static void fail(Batch batch, StoreException failure) {
    batch.tickets().forEach(ticket -> ticket.completeExceptionally(failure));
  }

  /**
   * Gives back what was taken in one slot; what cannot be given back stays taken until refilled.
   */
  private void refund(Ticket ticket, Outcome outcome, Runnable over) {
    Refund refund = new Refund(ticket, outcome, generations);
    RedisLink link = connector.link();
    if (link == null || refund.keys().isEmpty()) {
      over.run();
    } else {
      refund(link, refund, true, over);
    }
  }

  private void refund(RedisLink link, Refund refund, boolean byDigest, Runnable over) {
    byte[] script = byDigest ? protocol.refund().digest() : protocol.refund().text();
    link.call(byDigest, script, refund.keys(), refund.arguments(), new NumbersOutput())
        .whenComplete(
            (reply, error) -> {
              if (error != null && Refusal.of(cause(error)) == Refusal.UNKNOWN_SCRIPT) {
                refund(link, refund, false, over);
                return;
              }
              if (error != null) {
                LOG.log(Level.DEBUG, "tokens stay taken until refilled: not given back", error);
              }
              answers.execute(over);
            });
  }

  private void unanswered(Ticket ticket) {
    ticket.fail(
        StoreException.Kind.REDISERROR,
        "no answer within " + settings.commandTimeout() + ": whether it was taken is unknown");
  }

  private static StoreException failure(Throwable cause) {
    String what =
        Refusal.of(cause) == Refusal.UNANSWERED
            ? "no answer in time: whether it was taken is unknown"
            : String.valueOf(cause.getMessage());
    return new StoreException(StoreException.Kind.REDISERROR, what, cause);
  }

  private static Throwable cause(@Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause == null ? new IllegalStateException("no cause") : cause;
  }

  /**
   * Makes every bucket of a rule or plan a fresh one, on all nodes within a second, by one command
   * whatever the number of buckets.
   */
  public CompletionStage<Void> reset(OwnerKind kind, String ownerId) {
    return connector.reset(Generations.field(kind, ownerId));
  }

  /**
   * Reads a bucket by its Redis key, for people; nothing if there is none.
   *
   * @return a stage that fails with {@link IllegalArgumentException} if the key or its value is
   *     none of ours
   */
  public CompletionStage<Optional<RedisBucket>> read(String key) {
    RedisLink link = connector.link();
    if (link == null) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.REDISERROR, connector.whyNotConnected()));
    }
    if (!RedisBucket.isKey(key)) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "'" + key + "' is no bucket; they begin with " + settings.keyPrefix() + ":b:"));
    }
    byte[] name = key.getBytes(StandardCharsets.UTF_8);
    return link.get(name)
        .thenCombine(
            link.expiry(name),
            (value, millis) ->
                value == null
                    ? Optional.empty()
                    : Optional.of(RedisBucket.read(key, value, Duration.ofMillis(millis))));
  }

  /** Forgets what this node remembers of a refused key. */
  void forget(RateLimitKey key) {
    denials.forget(key);
  }

  Executor answers() {
    return answers;
  }

  private enum Nobody implements CallObserver {
    INSTANCE;

    @Override
    public void answered(String node, long nanos) {}

    @Override
    public void failed(String node, long nanos, StoreException failure) {}

    @Override
    public void recovered() {}
  }

  @Override
  public void close() {
    connector.close();
    deadlines.close();
    answers.close();
  }
}
