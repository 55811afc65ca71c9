package dev.redline.stores.redis;

import dev.redline.core.internal.store.BandCursor;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.store.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sends refunds, for which no caller waits. Tokens that cannot be refunded stay taken until they
 * are refilled.
 */
final class RefundDispatcher {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int MAX_IN_FLIGHT = 1024;
  private static final int MAX_BUCKETS = 64;
  private static final long WAIT_NANOS = 1_000_000L;

  private final ScriptConnection.Source connector;
  private final Protocol protocol;
  private final Predicate<BucketLimits> leasable;
  private final AtomicInteger inFlight = new AtomicInteger();

  /**
   * Creates the dispatcher.
   *
   * @param leasable returns whether tokens of a bucket may be leased
   */
  RefundDispatcher(
      ScriptConnection.Source connector, Protocol protocol, Predicate<BucketLimits> leasable) {
    this.connector = connector;
    this.protocol = protocol;
    this.leasable = leasable;
  }

  /** Receives the reply to the refund of leased tokens. */
  interface Reply {
    /**
     * Receives how one bucket was refunded.
     *
     * @param bands the bands that got the tokens back, as bits from the lowest; 0 without a reply
     */
    void refunded(LeaseEnd.ClosedBlock closed, long bands, long nowMicros);
  }

  /** Refunds the tokens that an acquisition took. */
  void refund(PendingAcquisition pending, Outcome outcome) {
    Refund refund = new Refund(pending, outcome, limits -> !leasable.test(limits));
    if (!refund.keys().isEmpty()) {
      send(protocol.refund(), refund.keys(), refund.arguments(), reply -> {});
    }
    LastRefund last = new LastRefund();
    BandCursor at = new BandCursor(pending.acquisition());
    while (at.nextKey()) {
      if (outcome.passed(at.key()) && leasable.test(at.limits())) {
        long[] after = new long[at.limits().stateWords()];
        at.bucket().take(after, 0, outcome.nowMicros(), outcome.views(), at.view(), at.cost());
        last.add(
            pending.key(at.key()), at.limits(), pending.generation(at.key()), after, at.cost());
      }
    }
    if (last.size() > 0) {
      send(protocol.refundLast(), last.keys(), last.arguments(), reply -> {});
    }
  }

  /** Refunds leased tokens, all buckets of a lane together. */
  void refund(List<LeaseEnd.ClosedBlock> blocks, BucketKey.Maker keys, Reply receiver) {
    Map<Integer, List<LeaseEnd.ClosedBlock>> byLane = new TreeMap<>();
    for (LeaseEnd.ClosedBlock closed : blocks) {
      int lane = keys.lane(closed.block().key());
      List<LeaseEnd.ClosedBlock> ofLane = byLane.computeIfAbsent(lane, absent -> new ArrayList<>());
      ofLane.add(closed);
      if (ofLane.size() == MAX_BUCKETS) {
        byLane.remove(lane);
        send(ofLane, keys, receiver);
      }
    }
    byLane.values().forEach(ofLane -> send(ofLane, keys, receiver));
  }

  private void send(List<LeaseEnd.ClosedBlock> blocks, BucketKey.Maker keys, Reply receiver) {
    LastRefund refund = new LastRefund();
    for (LeaseEnd.ClosedBlock closed : blocks) {
      LeaseBlock block = closed.block();
      refund.add(
          keys.of(block.key()),
          block.key().limits(),
          block.generation(),
          block.bucketAfter().state(),
          closed.left());
    }
    send(
        protocol.refundLast(),
        refund.keys(),
        refund.arguments(),
        reply -> {
          for (int i = 0; i < blocks.size(); i++) {
            boolean known = reply != null && i + 1 < reply.length;
            receiver.refunded(blocks.get(i), known ? reply[i + 1] : 0, known ? reply[0] : 0);
          }
        });
  }

  /** Sends a call; the receiver gets its reply, or null if there is none. */
  private void send(
      Script script,
      List<byte[]> keys,
      List<byte[]> arguments,
      Consumer<long @Nullable []> receiver) {
    ScriptConnection connection = connector.connection();
    if (connection == null) {
      receiver.accept(null);
      return;
    }
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: too many refunds are in flight");
      receiver.accept(null);
      return;
    }
    call(connection, new Call(script, keys, arguments, receiver), true);
  }

  private record Call(
      Script script,
      List<byte[]> keys,
      List<byte[]> arguments,
      Consumer<long @Nullable []> receiver) {}

  private void call(ScriptConnection connection, Call call, boolean byDigest) {
    byte[] scriptOrDigest = byDigest ? call.script.digest() : call.script.text();
    NumbersOutput output = new NumbersOutput();
    try {
      connection
          .call(byDigest, scriptOrDigest, call.keys, call.arguments, output)
          .whenComplete((reply, error) -> replied(connection, call, output, error));
    } catch (RuntimeException e) {
      replied(connection, call, output, e);
    }
  }

  private void replied(
      ScriptConnection connection, Call call, NumbersOutput output, @Nullable Throwable error) {
    if (error != null
        && ScriptFailure.of(ScriptDispatcher.cause(error)) == ScriptFailure.NO_SCRIPT) {
      call(connection, call, false);
      return;
    }
    if (error != null) {
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: the refund failed", error);
    }
    try {
      call.receiver.accept(error == null ? output.get() : null);
    } finally {
      inFlight.decrementAndGet();
    }
  }

  /** Waits until all refunds have a reply, but not longer than a while. */
  void awaitReplies(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (inFlight.get() > 0
        && System.nanoTime() - deadline < 0
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, WAIT_NANOS);
    }
  }
}
