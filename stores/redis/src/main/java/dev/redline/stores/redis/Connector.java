package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueListOutput;
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
 * Brings the connection up, however long that takes, and keeps what is agreed on in Redis: the
 * layout, and the generations of rules that were reset. One daemon thread.
 */
final class Connector implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Connector.class.getName());
  private static final long POLL_MILLIS = 400;
  private static final Script RESET = Script.load("reset.lua");

  private final RedisSettings settings;
  private final Script acquire;
  private final Generations generations;
  private final byte[] generationsKey;
  private final CountDownLatch ready = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "redline-redis-connector");
  private volatile @Nullable RedisLink link;
  private volatile String why = "not connected to Redis yet";
  private volatile boolean closed;
  private long version = -1;

  Connector(RedisSettings settings, Script acquire, Generations generations) {
    this.settings = settings;
    this.acquire = acquire;
    this.generations = generations;
    this.generationsKey = RedisLink.ascii(settings.keyPrefix() + ":m:generations");
  }

  void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the connection, or null if there never was one. */
  @Nullable RedisLink link() {
    return link;
  }

  String whyNotConnected() {
    return why;
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
      RedisLink first = connect();
      if (first != null) {
        link = first;
        ready.countDown();
        LOG.log(Level.INFO, "connected to Redis" + (first.cluster() ? " Cluster" : ""));
        while (!closed) {
          TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
          pollGenerations(first);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tries until it succeeds; returns null if closed before. */
  private @Nullable RedisLink connect() throws InterruptedException {
    long pause = 50;
    while (!closed) {
      try {
        RedisLink candidate = RedisLink.connect(settings);
        try {
          agreeOnLayout(candidate);
          loadScript(candidate);
          pollGenerations(candidate);
          return candidate;
        } catch (RuntimeException | ExecutionException | TimeoutException e) {
          candidate.close();
          throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        }
      } catch (RuntimeException | LinkageError e) {
        why = "not connected to Redis: " + e.getMessage();
        LOG.log(Level.DEBUG, why, e);
      }
      TimeUnit.MILLISECONDS.sleep(pause + ThreadLocalRandom.current().nextLong(50));
      pause = Math.min(500, pause * 2);
    }
    return null;
  }

  /** Writes down how many tags there are, or refuses to go on with another number. */
  private void agreeOnLayout(RedisLink candidate)
      throws InterruptedException, ExecutionException, TimeoutException {
    byte[] key = RedisLink.ascii(settings.keyPrefix() + ":m:tags");
    byte[] count = RedisLink.ascii(Integer.toString(SlotTags.COUNT));
    await(
        candidate
            .commands()
            .dispatch(
                CommandType.SETNX,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                args().addKey(key).add(count))
            .toCompletableFuture());
    byte[] found =
        await(
            candidate
                .commands()
                .dispatch(
                    CommandType.GET, new ValueOutput<>(ByteArrayCodec.INSTANCE), args().addKey(key))
                .toCompletableFuture());
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

  private void loadScript(RedisLink candidate)
      throws InterruptedException, ExecutionException, TimeoutException {
    await(
        candidate
            .commands()
            .dispatch(
                CommandType.SCRIPT,
                new StatusOutput<>(ByteArrayCodec.INSTANCE),
                args().add("LOAD").add(acquire.text()))
            .toCompletableFuture());
  }

  private void pollGenerations(RedisLink from) throws InterruptedException {
    try {
      byte[] found =
          await(
              from.commands()
                  .dispatch(
                      CommandType.HGET,
                      new ValueOutput<>(ByteArrayCodec.INSTANCE),
                      args().addKey(generationsKey).add("version"))
                  .toCompletableFuture());
      long current = found == null ? 0 : number(found);
      if (current != version) {
        learnAll(from);
        version = current;
      }
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "could not look for resets in Redis", e);
    }
  }

  private void learnAll(RedisLink from)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<byte[]> all =
        await(
            from.commands()
                .dispatch(
                    CommandType.HGETALL,
                    new ValueListOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(generationsKey))
                .toCompletableFuture());
    for (int i = 0; all != null && i + 1 < all.size(); i += 2) {
      generations.learn(new String(all.get(i), StandardCharsets.UTF_8), number(all.get(i + 1)));
    }
  }

  /** Begins a new generation of a rule or plan. */
  CompletionStage<Void> reset(String field) {
    RedisLink current = link;
    if (current == null) {
      return CompletableFuture.failedFuture(new IllegalStateException(why));
    }
    return current
        .commands()
        .dispatch(
            CommandType.EVAL,
            new IntegerOutput<>(ByteArrayCodec.INSTANCE),
            args()
                .add(RESET.text())
                .add(1)
                .addKey(generationsKey)
                .add(field.getBytes(StandardCharsets.UTF_8)))
        .thenAccept(generation -> generations.learn(field, generation));
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  private static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private <T> T await(CompletableFuture<T> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(settings.connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    RedisLink current = link;
    link = null;
    why = "the store is closed";
    if (current != null) {
      current.close();
    }
  }
}
