package dev.redline.stores.redis;

import dev.redline.core.internal.remote.DenyCache;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.TokenLeases;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The path of an acquisition: leased tokens allow it, the deny cache denies it, or a call of Redis
 * decides it. Everything between a caller and the connection is here; connecting is not. Clock,
 * threads and connection come from outside, so that the same code runs on simulated ones.
 */
final class AcquisitionPath implements AutoCloseable {
  private final RedisSettings settings;
  private final Protocol protocol;
  private final ScriptConnection.Source connections;
  private final LongSupplier nanoClock;
  private final Lanes lanes = new Lanes();
  private final DenyCache denyCache;
  private final CompletionThreads completionThreads;
  private final QueueLimit queueLimit;
  private final Deadlines deadlines;
  private final ScriptDispatcher dispatcher;
  private final RefundDispatcher refunds;
  private final @Nullable Leases leases;
  private final ScriptParameters.Cache parameters;
  private volatile BucketKey.@Nullable Maker keys;

  AcquisitionPath(
      RedisSettings settings,
      Protocol protocol,
      LeaseRules leaseRules,
      LeaseLog leaseLog,
      Generations generations,
      CallObserver observer,
      CompletionThreads completionThreads,
      LongSupplier nanoClock,
      ScriptConnection.Source connections) {
    this.settings = settings;
    this.protocol = protocol;
    this.connections = connections;
    this.nanoClock = nanoClock;
    this.completionThreads = completionThreads;
    this.denyCache = new DenyCache(generations::of, nanoClock);
    this.parameters = new ScriptParameters.Cache(generations);
    this.queueLimit =
        new QueueLimit(4 * settings.maxBatch(), settings.maxQueued(), settings.commandTimeout());
    this.deadlines = new Deadlines(lanes, queueLimit, completionThreads, settings, nanoClock);
    this.leases =
        settings.lease().enabled()
            ? new Leases(
                settings,
                generations,
                leaseRules,
                leaseLog,
                nanoClock,
                new LeaseSender(),
                this::refundLeases)
            : null;
    deadlines.watch(leases);
    this.dispatcher =
        new ScriptDispatcher(
            settings,
            protocol,
            connections,
            deadlines,
            completionThreads,
            denyCache,
            leases,
            parameters,
            observer,
            queueLimit,
            nanoClock);
    this.refunds =
        new RefundDispatcher(
            connections, protocol, limits -> leases != null && leases.mayLease(limits));
  }

  /** The way of leases to Redis. */
  private final class LeaseSender implements LeaseAcquirer.Sender {
    @Override
    public void send(LeaseRequest request) {
      ScriptConnection connection = connections.connection();
      if (connection == null) {
        request.fail(StoreException.Kind.UNAVAILABLE, connections.notConnectedReason());
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
  void use(SlotTags tags) {
    keys = new BucketKey.Maker(settings.keyPrefix(), protocol.layout(), tags);
    lanes.open(
        tags.count(),
        i -> new Lane(tags.slot(i), queueLimit, settings, parameters, nanoClock, dispatcher));
  }

  /** Returns what makes keys, or null before the first connection. */
  BucketKey.@Nullable Maker keysOrNull() {
    return keys;
  }

  /** Returns what makes keys; only while there is a connection. */
  BucketKey.Maker keys() {
    return Objects.requireNonNull(keys, "not connected");
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** Allows an acquisition by leased tokens, or denies it from memory; or returns false. */
  boolean acquireNow(Acquisition acquisition, Outcome outcome) {
    return (leases != null && leases.spend(acquisition, outcome))
        || denyCache.deny(acquisition, outcome);
  }

  boolean denyWhileStoreFails(Acquisition acquisition, Outcome outcome) {
    return denyCache.denyWhileStoreFails(acquisition, outcome);
  }

  /**
   * Sends an acquisition to Redis. Does not use the deny cache: callers try {@link #acquireNow}
   * first.
   */
  CompletableFuture<Outcome> acquire(Acquisition acquisition, Waiter waiter) {
    ScriptConnection connection = connections.connection();
    if (connection == null) {
      return CompletableFuture.failedFuture(
          new StoreException(StoreException.Kind.UNAVAILABLE, connections.notConnectedReason()));
    }
    long now = nanoClock.getAsLong();
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

  /** Returns the failure of a call that has no failure of its own. */
  StoreException failure(Throwable cause) {
    return dispatcher.failure("", ScriptDispatcher.cause(cause));
  }

  /** Returns what is wrong with the last reply; empty if decisions could be read from it. */
  Optional<String> badReply() {
    return dispatcher.badReplies().reason();
  }

  /** Forgets what is known of the bucket that a notice names. */
  void forget(String notice) {
    denyCache.forget(notice);
    if (leases != null) {
      leases.end().forget(notice);
    }
  }

  /** Removes the denial of a key from the deny cache of this process. */
  void forget(RateLimitKey key) {
    denyCache.forget(key);
  }

  /** Returns how many tokens of a key this process has leased and can spend. */
  long holds(RateLimitKey key) {
    return leases == null ? 0 : leases.holds(key);
  }

  Optional<TokenLeases> leases() {
    return leases == null ? Optional.empty() : Optional.of(leases.counts());
  }

  /** Refunds leased tokens, for at most the time that an acquisition may take. */
  void endLeases() {
    if (leases != null) {
      leases.end().close();
      refunds.awaitReplies(settings.commandTimeout());
    }
  }

  /** Fails all acquisitions that are not decided. */
  @Override
  public void close() {
    deadlines.close();
    completionThreads.close();
  }
}
