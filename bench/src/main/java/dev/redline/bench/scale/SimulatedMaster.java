package dev.redline.bench.scale;

import dev.redline.stores.redis.internal.SimulatedWorld.Reply;
import dev.redline.stores.redis.internal.SimulatedWorld.Script;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** A master: runs one script after the other, in order of arrival. */
final class SimulatedMaster {
  /** A call on its way. */
  static final class Call {
    private final SimulatedNode node;
    private final int master;
    private final Script script;
    private final List<byte[]> keys;
    private final List<byte[]> arguments;
    private final Reply reply;
    private final long deadlineNanos;
    private boolean done;

    Call(
        SimulatedNode node,
        int master,
        Script script,
        List<byte[]> keys,
        List<byte[]> arguments,
        Reply reply,
        long deadlineNanos) {
      this.node = node;
      this.master = master;
      this.script = script;
      this.keys = keys;
      this.arguments = arguments;
      this.reply = reply;
      this.deadlineNanos = deadlineNanos;
    }

    SimulatedNode node() {
      return node;
    }

    int master() {
      return master;
    }

    int buckets() {
      return keys.size();
    }

    boolean isLate(long nanos) {
      return nanos - deadlineNanos >= 0;
    }

    boolean isDone() {
      return done;
    }

    void timeOut() {
      if (!done) {
        done = true;
        reply.timeOut();
      }
    }

    void receive(long[] numbers) {
      if (!done) {
        done = true;
        reply.receive(numbers);
      }
    }
  }

  private final EventQueue events;
  private final SimulatedBuckets buckets;
  private final CallCosts costs;
  private final double factor;
  private final Queue<Call> waiting = new ArrayDeque<>();
  private boolean busy;
  private long busyNanos;
  private long calls;

  /**
   * Creates the master.
   *
   * @param factor how many times as long as others it needs for everything
   */
  SimulatedMaster(EventQueue events, SimulatedBuckets buckets, CallCosts costs, double factor) {
    this.events = events;
    this.buckets = buckets;
    this.costs = costs;
    this.factor = factor;
  }

  void arrive(Call call) {
    if (busy) {
      waiting.add(call);
    } else {
      run(call);
    }
  }

  private void run(Call call) {
    busy = true;
    long nanos = costs.redisNanos(call.buckets(), factor);
    busyNanos += nanos;
    calls++;
    long[] reply = buckets.run(call.script, call.keys, call.arguments, events.now() / 1000);
    events.at(events.now() + nanos, () -> finish(call, reply));
  }

  private void finish(Call call, long[] reply) {
    call.node().replyLeaves(call, reply);
    Call next = waiting.poll();
    if (next == null) {
      busy = false;
    } else {
      run(next);
    }
  }

  void resetCounts() {
    busyNanos = 0;
    calls = 0;
  }

  /** Returns how long it was busy. */
  long busyNanos() {
    return busyNanos;
  }

  long calls() {
    return calls;
  }
}
