package dev.redline.stores.redis;

import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends script calls, and delivers the outcomes of their replies. A call is sent again only if it
 * certainly did not run: at-most-once delivery, so an acquisition is charged at most once.
 */
final class ScriptDispatcher implements Lane.Sender {
  private static final int TIMEOUTS_BEFORE_RECONNECT = 3;

  private final RedisSettings settings;
  private final String address;
  private final String notSentMessage;
  private final Protocol protocol;
  private final ScriptConnection.Source connector;
  private final Deadlines deadlines;
  private final CompletionThreads completionThreads;
  private final DenyCache denyCache;
  private final @Nullable Leases leases;
  private final ScriptParameters.Cache parameters;
  private final CallObserver observer;
  private final QueueLimit queueLimit;
  private final LongSupplier nanoClock;
  private final BadReplies badReplies;
  private final Map<String, InFlightLimit> inFlightLimits = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> consecutiveTimeouts = new ConcurrentHashMap<>();

  ScriptDispatcher(
      RedisSettings settings,
      Protocol protocol,
      ScriptConnection.Source connector,
      Deadlines deadlines,
      CompletionThreads completionThreads,
      DenyCache denyCache,
      @Nullable Leases leases,
      ScriptParameters.Cache parameters,
      CallObserver observer,
      QueueLimit queueLimit,
      LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.settings = settings;
    this.address = settings.connection().address();
    this.badReplies = new BadReplies(address, nanoClock);
    this.notSentMessage =
        "Redis at "
            + address
            + " is too busy: the acquisition was not sent within "
            + settings.commandTimeout().toMillis()
            + " ms";
    this.protocol = protocol;
    this.connector = connector;
    this.deadlines = deadlines;
    this.completionThreads = completionThreads;
    this.denyCache = denyCache;
    this.leases = leases;
    this.parameters = parameters;
    this.observer = observer;
    this.queueLimit = queueLimit;
  }

  BadReplies badReplies() {
    return badReplies;
  }

  @Override
  public Destination destination(Lane lane) {
    ScriptConnection connection = connector.connection();
    if (connection == null || !connection.cluster()) {
      return new Destination(connection, "", null);
    }
    String master = connection.masterAddress(lane.slot());
    InFlightLimit limit =
        inFlightLimits.computeIfAbsent(master, absent -> new InFlightLimit(settings.maxBatch()));
    return new Destination(connection, master, limit);
  }

  @Override
  public void expired(List<PendingAcquisition> acquisitions) {
    deadlines.expire(acquisitions, notSentMessage);
  }

  @Override
  public void closed(List<PendingAcquisition> acquisitions) {
    deadlines.expire(acquisitions, Deadlines.CLOSED);
  }

  @Override
  public void send(Lane lane, Batch batch, Destination destination) {
    deadlines.begin(batch);
    call(lane, batch, destination, true);
  }

  private void call(Lane lane, Batch batch, Destination destination, boolean byDigest) {
    ScriptConnection connection = destination.connection();
    if (connection == null) {
      fail(
          lane,
          batch,
          destination,
          new StoreException(StoreException.Kind.UNAVAILABLE, connector.notConnectedReason()));
      return;
    }
    Script script = protocol.acquire(batch);
    NumbersOutput output = new NumbersOutput();
    try {
      connection
          .call(
              byDigest,
              byDigest ? script.digest() : script.text(),
              batch.keys(),
              batch.arguments(),
              output)
          .whenComplete((reply, error) -> replied(lane, batch, destination, output, error));
    } catch (RuntimeException e) {
      fail(lane, batch, destination, failure(destination.node(), e));
    }
  }

  private void replied(
      Lane lane,
      Batch batch,
      Destination destination,
      NumbersOutput output,
      @Nullable Throwable error) {
    String node = destination.node();
    if (error == null) {
      long received = nanoClock.getAsLong();
      resetTimeouts(node);
      deadlines.end(batch);
      queueLimit.decided(batch.size(), received);
      lane.finished();
      batch.leaveInFlight();
      observer.answered(node, received - batch.acquisitions().get(0).sentNanos());
      ResultDelivery delivery =
          new ResultDelivery(batch.acquisitions(), () -> read(batch, output, received));
      if (batch.mayCompleteOnIoThread()) {
        DeferredLanes.during(delivery);
      } else {
        deliver(delivery);
      }
      return;
    }
    ScriptFailure failure = ScriptFailure.of(cause(error));
    if (failure != ScriptFailure.NO_SCRIPT) {
      // Also before a retry: a lane that retries often must not use up the limit of its node.
      batch.leaveInFlight();
    }
    switch (failure) {
      case NO_SCRIPT -> call(lane, batch, destination, false);
      case BUSY -> deadlines.schedule(() -> repeat(lane, batch, cause(error)));
      case NOT_CONNECTED -> {
        renewCluster();
        deadlines.schedule(() -> repeat(lane, batch, cause(error)));
      }
      case SLOT_MOVING -> deadlines.schedule(() -> split(lane, batch, cause(error)));
      case READ_ONLY -> {
        renew();
        deadlines.schedule(() -> repeat(lane, batch, cause(error)));
      }
      case TIMED_OUT -> {
        timedOut(destination);
        fail(lane, batch, destination, failure(node, cause(error)));
      }
      case OTHER -> fail(lane, batch, destination, failure(node, cause(error)));
    }
  }

  private void deliver(ResultDelivery delivery) {
    completionThreads.deliver(delivery);
    deadlines.wakeUp();
  }

  private void resetTimeouts(String node) {
    AtomicInteger timeouts = consecutiveTimeouts.get(node);
    if (timeouts != null) {
      timeouts.set(0);
    }
  }

  /** Reconnects to a server that has not replied to several calls in a row. */
  private void timedOut(Destination destination) {
    AtomicInteger timeouts =
        consecutiveTimeouts.computeIfAbsent(destination.node(), absent -> new AtomicInteger());
    if (timeouts.incrementAndGet() >= TIMEOUTS_BEFORE_RECONNECT) {
      timeouts.set(0);
      ScriptConnection connection = connector.connection();
      if (connection != null) {
        connection.renew(destination.node());
      }
    }
  }

  private void renew() {
    ScriptConnection connection = connector.connection();
    if (connection != null) {
      connection.renew();
    }
  }

  /** Refreshes the topology of a cluster; Lettuce reconnects to a single server by itself. */
  private void renewCluster() {
    ScriptConnection connection = connector.connection();
    if (connection != null && connection.cluster()) {
      connection.renew();
    }
  }

  /** Sends a batch again that certainly did not run, unless all its acquisitions have timed out. */
  private void repeat(Lane lane, Batch batch, Throwable why) {
    Destination destination = destination(lane);
    if (batch.acquisitions().stream().allMatch(PendingAcquisition::isDone)) {
      fail(lane, batch, destination, failure(destination.node(), why));
    } else {
      call(lane, batch, destination, true);
    }
  }

  /** Sends the acquisitions of a batch one by one, while its slot migrates to another master. */
  private void split(Lane lane, Batch batch, Throwable why) {
    if (batch.size() == 1) {
      repeat(lane, batch, why);
      return;
    }
    deadlines.end(batch);
    for (PendingAcquisition pending : batch.acquisitions()) {
      Batch single = new Batch(parameters);
      single.add(pending);
      lane.started();
      send(lane, single, destination(lane));
    }
    lane.finished();
  }

  /** Returns the outcome or failure of each acquisition, and adds denials to the deny cache. */
  private Object[] read(Batch batch, NumbersOutput output, long received) {
    Object[] results = new Object[batch.size()];
    try {
      if (output.hasOtherTypes()) {
        throw new ReplyReader.MalformedReplyException("elements that are not integers");
      }
      @Nullable Outcome[] outcomes = batch.read(output.get(), output.size());
      badReplies.readable();
      for (int i = 0; i < results.length; i++) {
        Outcome outcome = outcomes[i];
        if (outcome == null) {
          badReplies.malformedValue(batch.acquisitions().get(i).acquisition());
          results[i] =
              new StoreException(
                  StoreException.Kind.BAD_STATE, "the value of a bucket in Redis is malformed");
        } else {
          PendingAcquisition pending = batch.acquisitions().get(i);
          if (!pending.acquisition().dryRun()) {
            denyCache.learn(
                pending.acquisition(), pending::generation, outcome, pending.sentNanos(), received);
          }
          if (leases != null) {
            leases.learn(pending, outcome, received);
          }
          results[i] = outcome;
        }
      }
    } catch (ReplyReader.MalformedReplyException e) {
      StoreException.Kind kind =
          output.hasOtherTypes() ? StoreException.Kind.BAD_STATE : StoreException.Kind.BAD_RESPONSE;
      String why = String.valueOf(e.getMessage());
      badReplies.malformed(batch.acquisitions().get(0).acquisition(), why);
      Arrays.fill(results, new StoreException(kind, why, e));
    }
    return results;
  }

  private void fail(Lane lane, Batch batch, Destination destination, StoreException failure) {
    deadlines.end(batch);
    lane.finished();
    batch.leaveInFlight();
    long sent = batch.acquisitions().get(0).sentNanos();
    observer.failed(destination.node(), nanoClock.getAsLong() - sent, failure);
    deliver(ResultDelivery.ofFailure(batch.acquisitions(), failure));
  }

  /** Returns the failure of a call to a node; an empty name stands for the whole store. */
  StoreException failure(String node, Throwable cause) {
    String what =
        ScriptFailure.of(cause) == ScriptFailure.TIMED_OUT
            ? "no reply in time, it is unknown whether the tokens were taken"
            : String.valueOf(cause.getMessage());
    String at = node.isEmpty() ? address : node;
    return new StoreException(
        StoreException.Kind.UNAVAILABLE, "Redis at " + at + ": " + what, cause);
  }

  static Throwable cause(@Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause == null ? new IllegalStateException("no cause") : cause;
  }
}
