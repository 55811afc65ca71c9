package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The script calls under way: sends them, sends those again that certainly did not run, and gives
 * out what came of them. An acquisition is answered once, and charged at most once.
 */
final class ScriptDispatcher implements Lane.Sender {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int HOPELESS_TIMEOUTS = 3;

  /** How many refunds are under way at most; what is beyond stays taken until it is refilled. */
  private static final int MAX_REFUNDS = 1024;

  /** How many waiting threads an I/O thread wakes itself; more would keep it from its own work. */
  private static final int WOKEN_AT_ONCE = 4;

  private final RedisSettings settings;
  private final String address;
  private final Protocol protocol;
  private final Connector connector;
  private final Deadlines deadlines;
  private final CompletionThreads answers;
  private final DenyCache denials;
  private final ScriptParameters.Cache shapes;
  private final CallObserver observer;
  private final Map<String, InFlightLimit> gates = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> timeoutsInARow = new ConcurrentHashMap<>();
  private final AtomicInteger refunds = new AtomicInteger();

  ScriptDispatcher(
      RedisSettings settings,
      Protocol protocol,
      Connector connector,
      Deadlines deadlines,
      CompletionThreads answers,
      DenyCache denials,
      ScriptParameters.Cache shapes,
      CallObserver observer) {
    this.settings = settings;
    this.address = settings.address();
    this.protocol = protocol;
    this.connector = connector;
    this.deadlines = deadlines;
    this.answers = answers;
    this.denials = denials;
    this.shapes = shapes;
    this.observer = observer;
  }

  @Override
  public @Nullable InFlightLimit gate(Lane lane) {
    RedisConnection link = connector.link();
    return link == null || !link.cluster()
        ? null
        : gates.computeIfAbsent(
            link.masterId(lane.number()), absent -> new InFlightLimit(settings.maxBatch()));
  }

  @Override
  public void expired(List<PendingAcquisition> tickets) {
    deadlines.expire(
        tickets,
        "Redis at "
            + address
            + " was too busy: not sent within "
            + settings.commandTimeout().toMillis()
            + " ms");
  }

  @Override
  public void closed(List<PendingAcquisition> tickets) {
    deadlines.expire(tickets, Deadlines.CLOSED);
  }

  @Override
  public void send(Lane lane, Batch batch) {
    deadlines.begin(batch);
    call(lane, batch, true);
  }

  private void call(Lane lane, Batch batch, boolean byDigest) {
    RedisConnection link = connector.link();
    if (link == null) {
      over(
          lane,
          batch,
          new StoreException(StoreException.Kind.UNAVAILABLE, connector.whyNotConnected()));
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
      over(lane, batch, failure(node(lane), e));
    }
  }

  private void replied(Lane lane, Batch batch, NumbersOutput output, @Nullable Throwable error) {
    String node = node(lane);
    if (error == null) {
      long received = System.nanoTime();
      answeredBy(node);
      deadlines.end(batch);
      lane.finished();
      batch.leaveGate();
      observer.answered(node, received - batch.tickets().get(0).sentNanos());
      ResultDelivery delivery =
          new ResultDelivery(batch.tickets(), () -> read(batch, output, received));
      if (batch.waitedFor() && batch.size() <= WOKEN_AT_ONCE) {
        delivery.run();
      } else {
        deliver(delivery);
      }
      return;
    }
    ScriptFailure refusal = ScriptFailure.of(cause(error));
    if (refusal != ScriptFailure.UNKNOWN_SCRIPT) {
      // Also before it is sent again: a lane that has to try often keeps no other from its node.
      batch.leaveGate();
    }
    switch (refusal) {
      case UNKNOWN_SCRIPT -> call(lane, batch, false);
      case NOT_NOW -> deadlines.later(() -> repeat(lane, batch, cause(error)));
      case NOT_THERE -> {
        renewCluster();
        deadlines.later(() -> repeat(lane, batch, cause(error)));
      }
      case SPLIT -> deadlines.later(() -> split(lane, batch, cause(error)));
      case DEMOTED -> {
        renew();
        deadlines.later(() -> repeat(lane, batch, cause(error)));
      }
      case UNANSWERED -> {
        timedOut(node);
        over(lane, batch, failure(node, cause(error)));
      }
      case FAILED -> over(lane, batch, failure(node, cause(error)));
    }
  }

  private void deliver(ResultDelivery delivery) {
    answers.deliver(delivery);
    deadlines.watch();
  }

  private void answeredBy(String node) {
    AtomicInteger timeouts = timeoutsInARow.get(node);
    if (timeouts != null) {
      timeouts.set(0);
    }
  }

  /** Gives up a connection whose server has stopped answering, each master's by itself. */
  private void timedOut(String node) {
    AtomicInteger timeouts = timeoutsInARow.computeIfAbsent(node, absent -> new AtomicInteger());
    if (timeouts.incrementAndGet() >= HOPELESS_TIMEOUTS) {
      timeouts.set(0);
      RedisConnection link = connector.link();
      if (link != null) {
        link.renew(node);
      }
    }
  }

  private void renew() {
    RedisConnection link = connector.link();
    if (link != null) {
      link.renew();
    }
  }

  /** Asks a cluster for its masters anew; a single server is reconnected to by itself. */
  private void renewCluster() {
    RedisConnection link = connector.link();
    if (link != null && link.cluster()) {
      link.renew();
    }
  }

  /** Sends a batch again that the server certainly did not run, while somebody still waits. */
  private void repeat(Lane lane, Batch batch, Throwable why) {
    if (batch.tickets().stream().allMatch(PendingAcquisition::isDone)) {
      over(lane, batch, failure(node(lane), why));
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
    for (PendingAcquisition ticket : batch.tickets()) {
      Batch single = new Batch(shapes);
      single.add(ticket);
      lane.started();
      send(lane, single);
    }
    lane.finished();
  }

  /** Reads what a reply says of each acquisition, and remembers what was denied. */
  private Object[] read(Batch batch, NumbersOutput output, long received) {
    Object[] results = new Object[batch.size()];
    try {
      if (output.foreign()) {
        throw new Batch.MalformedReplyException("other things than numbers");
      }
      @Nullable Outcome[] outcomes = batch.read(output.get(), output.size());
      for (int i = 0; i < results.length; i++) {
        Outcome outcome = outcomes[i];
        if (outcome == null) {
          results[i] =
              new StoreException(
                  StoreException.Kind.BAD_STATE,
                  "a bucket in Redis holds a value that is not ours");
        } else {
          PendingAcquisition ticket = batch.tickets().get(i);
          if (!ticket.acquisition().dryRun()) {
            denials.learn(ticket, outcome, received);
          }
          results[i] = outcome;
        }
      }
    } catch (Batch.MalformedReplyException e) {
      StoreException.Kind kind =
          output.foreign() ? StoreException.Kind.BAD_STATE : StoreException.Kind.BAD_RESPONSE;
      Arrays.fill(results, new StoreException(kind, String.valueOf(e.getMessage()), e));
    }
    return results;
  }

  private String node(Lane lane) {
    RedisConnection link = connector.link();
    return link == null ? "" : link.node(lane.number());
  }

  private void over(Lane lane, Batch batch, StoreException failure) {
    deadlines.end(batch);
    lane.finished();
    batch.leaveGate();
    long sent = batch.tickets().get(0).sentNanos();
    observer.failed(node(lane), System.nanoTime() - sent, failure);
    deliver(ResultDelivery.ofFailure(batch.tickets(), failure));
  }

  /**
   * Refunds what was taken in one slot, without anybody waiting for it. What cannot be refunded
   * stays taken until it is refilled.
   */
  void refund(PendingAcquisition ticket, Outcome outcome) {
    Refund refund = new Refund(ticket, outcome);
    RedisConnection link = connector.link();
    if (link == null || refund.keys().isEmpty()) {
      return;
    }
    if (refunds.incrementAndGet() > MAX_REFUNDS) {
      refunds.decrementAndGet();
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: too many refunds are under way");
      return;
    }
    refund(link, refund, true);
  }

  private void refund(RedisConnection link, Refund refund, boolean byDigest) {
    byte[] script = byDigest ? protocol.refund().digest() : protocol.refund().text();
    try {
      link.call(byDigest, script, refund.keys(), refund.arguments(), new NumbersOutput())
          .whenComplete((reply, error) -> refunded(link, refund, error));
    } catch (RuntimeException e) {
      refunded(link, refund, e);
    }
  }

  private void refunded(RedisConnection link, Refund refund, @Nullable Throwable error) {
    if (error != null && ScriptFailure.of(cause(error)) == ScriptFailure.UNKNOWN_SCRIPT) {
      refund(link, refund, false);
      return;
    }
    refunds.decrementAndGet();
    if (error != null) {
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: not refunded", error);
    }
  }

  /** Returns the failure of a call to a node, or to the store as a whole. */
  StoreException failure(String node, Throwable cause) {
    String what =
        ScriptFailure.of(cause) == ScriptFailure.UNANSWERED
            ? "no answer in time, whether it was taken is unknown"
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
