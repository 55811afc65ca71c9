package dev.redline.stores.redis;

import dev.redline.core.store.RemoteStore.CallObserver;
import dev.redline.core.store.StoreException;
import dev.redline.core.store.StoreHealth;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Brings the connection up, however long that takes, makes it ready, and then looks after it: what
 * other nodes reset, and whether Redis is well. One daemon thread.
 */
final class Connector implements AutoCloseable {
  /** Sends each kind of decision once, so that the first caller finds everything warm. */
  interface WarmUp {
    void run(RedisConnection link)
        throws InterruptedException, ExecutionException, TimeoutException;
  }

  private static final Logger LOG = System.getLogger(Connector.class.getName());
  private static final long LOOK_MILLIS = 400;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 500;

  private final RedisSettings settings;
  private final Script[] scripts;
  private final WarmUp warmUp;
  private final CallObserver observer;
  private final Resets resets;
  private final HealthProbe health;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "redline-redis-connector");
  private volatile @Nullable RedisConnection link;
  private volatile boolean closed;
  private boolean logsOutage;

  Connector(
      RedisSettings settings,
      Generations generations,
      DenyCache denials,
      WarmUp warmUp,
      CallObserver observer,
      Script... scripts) {
    this.settings = settings;
    this.scripts = scripts.clone();
    this.warmUp = warmUp;
    this.observer = observer;
    this.resets = new Resets(settings, generations, denials);
    this.health = new HealthProbe(settings);
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the connection, or null if there never was one. */
  @Nullable RedisConnection link() {
    return link;
  }

  StoreHealth health() {
    return health.last();
  }

  String whyNotConnected() {
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
            Level.INFO, "connected to Redis at " + settings.address() + ", " + first.topology());
        if (!publish(first)) {
          // Closing a connection waits, which an interrupted thread does not.
          Thread.interrupted();
          first.close();
          return;
        }
        ready.countDown();
        while (!closed) {
          TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
          try {
            lookAfter(first);
          } catch (RuntimeException e) {
            // Also what an observer throws: the next look must come, whatever this one met.
            LOG.log(Level.WARNING, "could not look after the connection to Redis", e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets the store use the connection; returns false if the store was closed meanwhile. */
  private synchronized boolean publish(RedisConnection first) {
    if (closed) {
      return false;
    }
    link = first;
    return true;
  }

  private void lookAfter(RedisConnection current) throws InterruptedException {
    boolean was = health.last().up();
    StoreHealth now = health.look(current);
    if (was && !now.up() && !closed) {
      away(now.reason().orElse("Redis at " + settings.address() + " does not answer"));
    }
    health.publish(now);
    if (!was && now.up() && !closed) {
      recovered();
    }
    try {
      resets.poll(current);
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      LOG.log(Level.DEBUG, "could not look for resets in Redis", e);
    }
  }

  /** Logs an outage once, unless the observer has; what ends it is logged by the same one. */
  private void away(String why) {
    logsOutage = !observer.away();
    LOG.log(logsOutage ? Level.WARNING : Level.DEBUG, why);
  }

  private void recovered() {
    LOG.log(
        logsOutage ? Level.INFO : Level.DEBUG, "Redis at " + settings.address() + " answers again");
    observer.recovered();
  }

  /** Tries until it succeeds; returns null if closed before. */
  private @Nullable RedisConnection connect() throws InterruptedException {
    long pause = FIRST_PAUSE_MILLIS;
    Level level = Level.WARNING;
    while (!closed) {
      try {
        return prepared(RedisConnection.connect(settings));
      } catch (RuntimeException | LinkageError e) {
        String why =
            "not connected to Redis at " + settings.address() + ": " + HealthProbe.reason(e);
        health.down(why);
        if (!closed) {
          LOG.log(level, why);
          LOG.log(Level.DEBUG, why, e);
        }
        // One line for an outage; what the further attempts meet shows in health.
        level = Level.DEBUG;
      }
      TimeUnit.MILLISECONDS.sleep(pause + ThreadLocalRandom.current().nextLong(FIRST_PAUSE_MILLIS));
      pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }
    return null;
  }

  private RedisConnection prepared(RedisConnection candidate) throws InterruptedException {
    boolean done = false;
    try {
      agreeOnLayout(candidate);
      for (RedisConnection.Master master : candidate.masters()) {
        loadScripts(master);
      }
      resets.poll(candidate);
      warmUp.run(candidate);
      health.publish(health.look(candidate));
      done = true;
      return candidate;
    } catch (TimeoutException e) {
      throw new IllegalStateException("no answer within " + settings.connectTimeout(), e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(HealthProbe.reason(e), e);
    } finally {
      if (!done) {
        candidate.close();
      }
    }
  }

  /** Writes down how many tags there are, or refuses to go on with another number. */
  private void agreeOnLayout(RedisConnection candidate)
      throws InterruptedException, ExecutionException, TimeoutException {
    byte[] key = RedisConnection.ascii(settings.keyPrefix() + ":m:tags");
    byte[] count = RedisConnection.ascii(Integer.toString(SlotTags.COUNT));
    await(
        candidate
            .commands()
            .dispatch(
                CommandType.SETNX,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                args().addKey(key).add(count)));
    byte[] found =
        await(
            candidate
                .commands()
                .dispatch(
                    CommandType.GET,
                    new ValueOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(key)));
    String text = found == null ? "" : new String(found, StandardCharsets.US_ASCII);
    if (!text.equals(Integer.toString(SlotTags.COUNT))) {
      throw new IllegalStateException(
          settings.keyPrefix()
              + ":m:tags in Redis says "
              + text
              + " tags, this node has "
              + SlotTags.COUNT
              + "; use another rl.redis.key-prefix");
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

  /** Begins a new generation of rules and plans. */
  CompletionStage<Void> reset(List<String> fields) {
    RedisConnection current = link;
    return current == null ? notConnected() : resets.reset(current, fields);
  }

  /** Deletes a bucket on all nodes. */
  CompletionStage<Void> reset(BucketKey bucket, String notice) {
    RedisConnection current = link;
    return current == null ? notConnected() : resets.reset(current, bucket, notice);
  }

  private CompletionStage<Void> notConnected() {
    return CompletableFuture.failedFuture(
        new StoreException(StoreException.Kind.UNAVAILABLE, whyNotConnected()));
  }

  private static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage
        .toCompletableFuture()
        .get(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    RedisConnection current;
    synchronized (this) {
      closed = true;
      current = link;
      link = null;
    }
    thread.interrupt();
    health.down("the store is closed");
    if (current != null) {
      current.close();
    }
  }
}
