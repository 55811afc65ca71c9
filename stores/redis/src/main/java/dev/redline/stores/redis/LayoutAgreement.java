package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The number of hash tags that all stores with one prefix use: written to Redis by the first of
 * them. Two stores with different numbers would keep two buckets for most callers.
 */
final class LayoutAgreement {
  private final String name;
  private final byte[] key;
  private final long timeoutMillis;

  LayoutAgreement(RedisSettings settings) {
    this.name = settings.keyPrefix() + ":m:tags";
    this.key = RedisConnection.ascii(name);
    this.timeoutMillis = settings.connection().connectTimeout().toMillis();
  }

  /**
   * Returns the tags to use: as many as Redis says, or as the masters need if it does not.
   *
   * @throws IllegalStateException if the number in Redis is not possible
   */
  SlotTags agree(RedisConnection connection)
      throws InterruptedException, ExecutionException, TimeoutException {
    int wanted =
        connection.cluster()
            ? SlotTags.countFor(connection.masters().size())
            : SlotTags.COUNT_WITHOUT_CLUSTER;
    return new SlotTags(readOrWrite(connection, wanted));
  }

  /**
   * Reads the number while it is in use, and writes it again if Redis has lost it, as after a
   * failover.
   *
   * @throws IllegalStateException if what Redis replies is not a possible number
   */
  int reread(RedisConnection connection, SlotTags tags)
      throws InterruptedException, ExecutionException, TimeoutException {
    return readOrWrite(connection, tags.count());
  }

  /** Returns what is wrong if Redis has another number than the one in use. */
  String changed(SlotTags tags, int found) {
    return name
        + " in Redis was changed from "
        + tags.count()
        + " to '"
        + found
        + "': this process must be restarted to use it, or "
        + tags.count()
        + " be set again";
  }

  private int readOrWrite(RedisConnection connection, int count)
      throws InterruptedException, ExecutionException, TimeoutException {
    byte[] found = read(connection);
    if (found == null) {
      await(
          connection
              .commands()
              .dispatch(
                  CommandType.SETNX,
                  new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                  args().addKey(key).add(RedisConnection.ascii(Integer.toString(count)))));
      found = read(connection);
    }
    return number(found);
  }

  private int number(byte @Nullable [] found) {
    if (found == null) {
      throw new IllegalStateException(name + " is missing in Redis, although it was just written");
    }
    String text = new String(found, StandardCharsets.US_ASCII);
    int count = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    if (!SlotTags.isValid(count)) {
      throw new IllegalStateException(
          name
              + " in Redis is '"
              + text
              + "', which is not a power of two up to "
              + SlotTags.MAX_COUNT
              + "; use another rl.redis.key-prefix");
    }
    return count;
  }

  private byte @Nullable [] read(RedisConnection connection)
      throws InterruptedException, ExecutionException, TimeoutException {
    return await(
        connection
            .commands()
            .dispatch(
                CommandType.GET, new ValueOutput<>(ByteArrayCodec.INSTANCE), args().addKey(key)));
  }

  private static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private <T extends @Nullable Object> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(timeoutMillis, TimeUnit.MILLISECONDS);
  }
}
