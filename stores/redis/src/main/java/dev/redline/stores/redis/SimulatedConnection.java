package dev.redline.stores.redis;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.TokenLeases;
import dev.redline.stores.redis.internal.SimulatedStore;
import dev.redline.stores.redis.internal.SimulatedWorld;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A connection to the masters of a simulated world, and the store on it: the same path of an
 * acquisition as on a real connection. Buckets are never reset there, and it is always connected.
 */
final class SimulatedConnection implements ScriptConnection, ScriptConnection.Source {
  private static final int SLOTS = 16_384;

  private final SimulatedWorld world;
  private final int masters;
  private final String[] addresses;
  private final Protocol protocol;

  SimulatedConnection(SimulatedWorld world, Protocol protocol) {
    this.world = world;
    this.masters = world.masters();
    this.protocol = protocol;
    this.addresses = new String[masters];
    for (int i = 0; i < masters; i++) {
      addresses[i] = "master-" + i;
    }
  }

  /** Returns a store on this connection. */
  SimulatedStore store(RedisSettings settings, LeaseRules rules) {
    AcquisitionPath path =
        new AcquisitionPath(
            settings,
            protocol,
            rules,
            LeaseLog.NONE,
            new Generations(),
            new CallObservers(),
            new CompletionThreads(Runnable::run, world::nanoTime),
            world::nanoTime,
            this);
    path.use(new SlotTags(cluster() ? SlotTags.countFor(masters) : SlotTags.COUNT_WITHOUT_CLUSTER));
    return new OnThisConnection(path);
  }

  private final class OnThisConnection implements SimulatedStore {
    private final AcquisitionPath path;

    OnThisConnection(AcquisitionPath path) {
      this.path = path;
    }

    @Override
    public boolean acquireNow(Acquisition acquisition, Outcome outcome) {
      return path.acquireNow(acquisition, outcome);
    }

    @Override
    public CompletionStage<Outcome> acquire(Acquisition acquisition) {
      return path.acquire(acquisition, PendingAcquisition.Waiter.EVENT_LOOP);
    }

    @Override
    public void tick() {
      path.deadlines().tick(world.nanoTime());
    }

    @Override
    public long tickNanos() {
      return Deadlines.TICK_NANOS;
    }

    @Override
    public long tokensHeld() {
      return path.leases().map(TokenLeases::held).orElse(0L);
    }
  }

  @Override
  public ScriptConnection connection() {
    return this;
  }

  @Override
  public String notConnectedReason() {
    return "a simulated connection is never lost";
  }

  @Override
  public boolean cluster() {
    return masters > 1;
  }

  private int master(int slot) {
    return (int) ((long) slot * masters / SLOTS);
  }

  @Override
  public String masterAddress(int slot) {
    return cluster() ? addresses[master(slot)] : "";
  }

  @Override
  public CompletionStage<long[]> call(
      boolean byDigest,
      byte[] script,
      List<byte[]> keys,
      List<byte[]> arguments,
      NumbersOutput out) {
    CompletableFuture<long[]> result = new CompletableFuture<>();
    world.call(
        cluster() ? master(slot(keys.get(0))) : 0,
        kind(script),
        keys,
        arguments,
        new SimulatedWorld.Reply() {
          @Override
          public void receive(long[] numbers) {
            for (long number : numbers) {
              out.set(number);
            }
            result.complete(numbers);
          }

          @Override
          public void timeOut() {
            result.completeExceptionally(new RedisCommandTimeoutException("no reply in time"));
          }
        });
    return result;
  }

  private SimulatedWorld.Script kind(byte[] digest) {
    if (digest == protocol.acquire().digest()) {
      return SimulatedWorld.Script.ACQUIRE;
    }
    if (digest == protocol.acquireOne().digest()) {
      return SimulatedWorld.Script.ACQUIRE_ONE;
    }
    if (digest == protocol.refundLast().digest()) {
      return SimulatedWorld.Script.REFUND_LAST;
    }
    throw new UnsupportedOperationException("acquisitions of several slots are not simulated");
  }

  /** Returns the slot of a key, by its hash tag, as a client of a cluster does. */
  private static int slot(byte[] key) {
    int from = 0;
    while (key[from] != '{') {
      from++;
    }
    int to = ++from;
    while (key[to] != '}') {
      to++;
    }
    return SlotTags.slot(Arrays.copyOfRange(key, from, to));
  }

  @Override
  public void renew() {
    // The masters of a simulation stay where they are.
  }

  @Override
  public void renew(String node) {
    // Likewise.
  }

  /** Leases as they must not be: a token is spent although refill has replaced it. */
  static final LeaseRules WITHOUT_DECAY =
      new LeaseRules() {
        @Override
        long alive(long tokens, long endNanos, long tokenNanos, long nanos) {
          return tokens;
        }
      };
}
