package dev.redline.bench.scale;

import dev.redline.bench.scale.SimulatedMaster.Call;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.stores.redis.RedisSettings;
import dev.redline.stores.redis.RedisStore;
import dev.redline.stores.redis.internal.SimulatedStore;
import dev.redline.stores.redis.internal.SimulatedWorld;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A node: the real path of acquisitions, on one I/O thread that sends calls and receives replies
 * one after the other, and a connection to each master that keeps its order.
 */
final class SimulatedNode implements SimulatedWorld {
  private final ScaleSimulation simulation;
  private final EventQueue events;
  private final CallCosts costs;
  private final long[] lastArrival;
  private final long[] lastReply;
  private final SimulatedStore store;
  private boolean crashed;
  private long busyUntil;
  private long busyNanos;

  SimulatedNode(ScaleSimulation simulation, RedisSettings settings, boolean tokensDecay) {
    this.simulation = simulation;
    this.events = simulation.events();
    this.costs = simulation.costs();
    this.lastArrival = new long[simulation.masters()];
    this.lastReply = new long[simulation.masters()];
    this.store = RedisStore.simulate(settings, this, tokensDecay);
  }

  SimulatedStore store() {
    return store;
  }

  /** Has a call decide an acquisition. */
  CompletionStage<Outcome> acquire(Acquisition acquisition) {
    work(costs.decisionNanos());
    return store.acquire(acquisition);
  }

  /** Ticks from a time on, until the node crashes. */
  void tickFrom(long nanos) {
    events.at(
        nanos,
        () -> {
          if (!crashed) {
            store.tick();
            tickFrom(nanos + store.tickNanos());
          }
        });
  }

  /** Ends the node; its replies are lost and nothing is refunded. */
  void crash() {
    crashed = true;
  }

  boolean isCrashed() {
    return crashed;
  }

  @Override
  public long nanoTime() {
    return events.now();
  }

  @Override
  public int masters() {
    return simulation.masters();
  }

  /** Uses the I/O thread; returns when it has finished. */
  private long work(long nanos) {
    busyNanos += nanos;
    busyUntil = Math.max(events.now(), busyUntil) + nanos;
    return busyUntil;
  }

  @Override
  public void call(
      int master, Script script, List<byte[]> keys, List<byte[]> arguments, Reply reply) {
    Call call =
        new Call(
            this, master, script, keys, arguments, reply, events.now() + simulation.timeoutNanos());
    simulation.watch(call);
    long arrives =
        Math.max(lastArrival[master], work(costs.sendNanos()) + simulation.networkNanos());
    lastArrival[master] = arrives;
    events.at(arrives, () -> simulation.master(master).arrive(call));
  }

  /** Brings the reply of a call, which leaves its master now. */
  void replyLeaves(Call call, long[] reply) {
    int master = call.master();
    long arrives = Math.max(lastReply[master], events.now() + simulation.networkNanos());
    lastReply[master] = arrives;
    events.at(arrives, () -> replyArrives(call, reply));
  }

  private void replyArrives(Call call, long[] reply) {
    if (!crashed && !call.isDone()) {
      events.at(work(costs.receiveNanos()), () -> receive(call, reply));
    }
  }

  private void receive(Call call, long[] reply) {
    if (!crashed) {
      call.receive(reply);
    }
  }

  void resetCounts() {
    busyNanos = 0;
  }

  long busyNanos() {
    return busyNanos;
  }
}
