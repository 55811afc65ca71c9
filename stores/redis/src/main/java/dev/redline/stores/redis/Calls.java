package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The script calls under way: sends them, sends those again that certainly did not run, and gives
 * out what came of them. An acquisition is answered once, and charged at most once.
 */
final class Calls implements Lane.Sender {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int HOPELESS_TIMEOUTS = 3;
  private static final long RETRY_MILLIS = 5;

  /** How many waiting threads an I/O thread wakes itself; more would keep it from its own work. */
  private static final int WOKEN_AT_ONCE = 4;

  private final RedisSettings settings;
  private final Protocol protocol;
  private final Connector connector;
  private final Deadlines deadlines;
  private final Answers answers;
  private final DenyCache denials;
  private final Generations generations;
  private final Shape.Cache shapes;
  private final CallObserver observer;
  private final Map<String, Gate> gates = new ConcurrentHashMap<>();
  private final AtomicInteger timeoutsInARow = new AtomicInteger();

  Calls(
      RedisSettings settings,
      Protocol protocol,
      Connector connector,
      Deadlines deadlines,
      Answers answers,
      DenyCache denials,
      Generations generations,
      Shape.Cache shapes,
      CallObserver observer) {
    this.settings = settings;
    this.protocol = protocol;
    this.connector = connector;
    this.deadlines = deadlines;
    this.answers = answers;
    this.denials = denials;
    this.generations = generations;
    this.shapes = shapes;
    this.observer = observer;
  }

  @Override
  public @Nullable Gate gate(Lane lane) {
    RedisLink link = connector.link();
    return link == null || !link.cluster()
        ? null
        : gates.computeIfAbsent(
            link.masterId(lane.number()), absent -> new Gate(settings.maxBatch()));
  }

  @Override
  public void expired(Ticket ticket) {
    answers.execute(
        () ->
            ticket.fail(
                StoreException.Kind.REDISERROR,
                "Redis was too busy: not sent within " + settings.commandTimeout()));
  }

  @Override
  public void send(Lane lane, Batch batch) {
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
  void refund(Ticket ticket, Outcome outcome, Runnable over) {
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

  static StoreException failure(Throwable cause) {
    String what =
        Refusal.of(cause) == Refusal.UNANSWERED
            ? "no answer in time: whether it was taken is unknown"
            : String.valueOf(cause.getMessage());
    return new StoreException(StoreException.Kind.REDISERROR, what, cause);
  }

  static Throwable cause(@Nullable Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return cause == null ? new IllegalStateException("no cause") : cause;
  }
}
