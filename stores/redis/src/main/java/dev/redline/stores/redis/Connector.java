package dev.redline.stores.redis;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.core.store.StoreException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects to Redis, retrying until it succeeds, and prepares the connection; then polls for the
 * resets of other processes and for the health of Redis. One daemon thread.
 */
final class Connector implements ScriptConnection.Source, AutoCloseable {
  private static final Logger LOG = System.getLogger(Connector.class.getName());
  private static final long POLL_MILLIS = 400;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final RedisSettings settings;
  private final Script[] scripts;
  private final WarmUp warmUp;
  private final CallObserver observer;
  private final Resets resets;
  private final HealthProbe health;
  private final LayoutAgreement layout;
  private final Consumer<SlotTags> onLayout;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "redline-redis-connector");

  /** The connection that acquisitions may use: none while Redis has another layout. */
  private volatile @Nullable RedisConnection connection;

  /** The connection to close with this connector; guarded by this. */
  private @Nullable RedisConnection opened;

  private volatile boolean closed;
  private boolean outageLogged;

  /** Used by the connector's thread. */
  private @Nullable SlotTags tags;

  /** The number of tags that the last poll found; used by the connector's thread. */
  private int lastCount;

  /** Why Redis is not used although it replies; used by the connector's thread. */
  private @Nullable String stopped;

  Connector(
      RedisSettings settings,
      Generations generations,
      Consumer<String> onNotice,
      WarmUp warmUp,
      CallObserver observer,
      Consumer<SlotTags> onLayout,
      Script... scripts) {
    this.settings = settings;
    this.scripts = scripts.clone();
    this.warmUp = warmUp;
    this.observer = observer;
    this.resets = new Resets(settings, generations, onNotice);
    this.health = new HealthProbe(settings);
    this.layout = new LayoutAgreement(settings);
    this.onLayout = onLayout;
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public @Nullable RedisConnection connection() {
    return connection;
  }

  StoreHealth health() {
    return health.last();
  }

  @Override
  public String notConnectedReason() {
    return health.last().reason().orElse("not connected to Redis");
  }

  boolean awaitReady(Duration atMost) {
    try {
      return ready.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void run() {
    try {
      RedisConnection first = connect();
      if (first != null) {
        LOG.log(
            Level.INFO,
            "connected to Redis at " + settings.connection().address() + ", " + first.topology());
        if (!publish(first)) {
          // Closing a connection waits, which an interrupted thread does not.
          Thread.interrupted();
          first.close();
          return;
        }
        ready.countDown();
        while (!closed) {
          TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
          try {
            maintain(first);
          } catch (RuntimeException | Error e) {
            // The thread must survive, also if an observer throws or memory is short.
            LOG.log(Level.WARNING, "polling Redis for health and resets failed", e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Publishes the connection to the store; returns false if the store was closed meanwhile. */
  private synchronized boolean publish(RedisConnection first) {
    if (closed) {
      return false;
    }
    opened = first;
    connection = first;
    return true;
  }

  private void maintain(RedisConnection current) throws InterruptedException {
    boolean was = health.last().up();
    String why = stopped;
    StoreHealth now = why == null ? health.probe(current) : StoreHealth.down(why);
    if (was && !now.up() && !closed) {
      logOutage(
          now.reason().orElse("Redis at " + settings.connection().address() + " does not reply"));
    }
    health.publish(now);
    if (!was && now.up() && !closed) {
      recovered();
    }
    if (now.up()) {
      observer.alive();
    }
    try {
      resets.poll(current);
      if (tags != null) {
        confirmLayout(current, tags);
      }
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.log(Level.DEBUG, "polling Redis for resets failed", e);
    }
  }

  /**
   * Stops using Redis while it has another layout, with which this process would keep buckets of
   * its own. One poll is not enough for that: a single reply may be that of a server that is just
   * being restored.
   */
  private void confirmLayout(RedisConnection current, SlotTags used)
      throws InterruptedException, ExecutionException, TimeoutException {
    int found = layout.reread(current, used);
    int before = lastCount;
    lastCount = found;
    if (found == used.count()) {
      if (stopped != null) {
        stopped = null;
        use(current);
      }
    } else if (found == before && stopped == null) {
      stopped = layout.changed(used, found);
      LOG.log(Level.ERROR, stopped);
      outageLogged = true;
      health.down(stopped);
      use(null);
    }
  }

  private synchronized void use(@Nullable RedisConnection usable) {
    connection = closed ? null : usable;
  }

  /** Logs an outage, unless the observer already has; the same party logs its end. */
  private void logOutage(String why) {
    outageLogged = !observer.away();
    LOG.log(outageLogged ? Level.WARNING : Level.DEBUG, why);
  }

  private void recovered() {
    LOG.log(
        outageLogged ? Level.INFO : Level.DEBUG,
        "Redis at " + settings.connection().address() + " replies again");
    observer.recovered();
  }

  /** Retries until it succeeds; returns null if closed before. */
  private @Nullable RedisConnection connect() throws InterruptedException {
    long pause = FIRST_PAUSE_MILLIS;
    Level level = Level.WARNING;
    while (!closed) {
      try {
        return prepare(RedisConnection.connect(settings));
      } catch (RuntimeException | Error e) {
        String why =
            "not connected to Redis at "
                + settings.connection().address()
                + ": "
                + HealthProbe.reason(e);
        health.down(why);
        if (!closed) {
          LOG.log(level, why);
          LOG.log(Level.DEBUG, why, e);
        }
        // One line for each outage; health shows the reason of later failures.
        level = Level.DEBUG;
      }
      TimeUnit.MILLISECONDS.sleep(pause + ThreadLocalRandom.current().nextLong(FIRST_PAUSE_MILLIS));
      pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }
    return null;
  }

  private RedisConnection prepare(RedisConnection candidate) throws InterruptedException {
    boolean done = false;
    try {
      SlotTags agreed = layout.agree(candidate);
      for (RedisConnection.Master master : candidate.masters()) {
        loadScripts(master);
      }
      resets.poll(candidate);
      warmUp.run(candidate, agreed);
      health.publish(health.probe(candidate));
      onLayout.accept(agreed);
      tags = agreed;
      done = true;
      return candidate;
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "no reply within " + settings.connection().connectTimeout(), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(HealthProbe.reason(e), e);
    } finally {
      if (!done) {
        candidate.close();
      }
    }
  }

  private void loadScripts(RedisConnection.Master master)
      throws InterruptedException, ExecutionException, TimeoutException {
    for (Script script : scripts) {
      await(
          master
              .commands()
              .dispatch(
                  CommandType.SCRIPT,
                  new StatusOutput<>(ByteArrayCodec.INSTANCE),
                  args().add("LOAD").add(script.text())));
    }
  }

  /** Starts a new generation of rules and plans, which resets their buckets. */
  CompletionStage<Void> reset(List<String> fields) {
    RedisConnection current = connection;
    return current == null ? notConnected() : resets.reset(current, fields);
  }

  /** Deletes a bucket, and its denial in the deny caches of all processes. */
  CompletionStage<Void> reset(BucketKey bucket, String notice) {
    RedisConnection current = connection;
    return current == null ? notConnected() : resets.reset(current, bucket, notice);
  }

  private CompletionStage<Void> notConnected() {
    return CompletableFuture.failedFuture(
        new StoreException(StoreException.Kind.UNAVAILABLE, notConnectedReason()));
  }

  private static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage
        .toCompletableFuture()
        .get(settings.connection().connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    RedisConnection current;
    synchronized (this) {
      closed = true;
      current = opened;
      opened = null;
      connection = null;
    }
    thread.interrupt();
    health.down("the store is closed");
    if (current != null) {
      current.close();
    }
  }
}
