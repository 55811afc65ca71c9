package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The resets stored in Redis: one hash with the generation of each rule and plan, the recent resets
 * of single buckets, and a version that changes with every reset. Polled by the connector's thread.
 */
final class Resets {
  private static final Script RESET = Script.load("reset.lua");

  private static final String VERSION = "version";
  private static final String NOTICES = "notices";
  private static final String NOTICED = "noticed";

  private final Generations generations;
  private final Consumer<String> onNotice;
  private final byte[] key;
  private final long timeoutMillis;
  private long version = -1;
  private long lastNotice;

  /**
   * Creates the resets.
   *
   * @param onNotice forgets what is known of the bucket that a notice names
   */
  Resets(RedisSettings settings, Generations generations, Consumer<String> onNotice) {
    this.generations = generations;
    this.onNotice = onNotice;
    this.key = RedisConnection.ascii(settings.keyPrefix() + ":m:generations");
    this.timeoutMillis = settings.connection().connectTimeout().toMillis();
  }

  /** Applies the resets of other processes since the last poll. */
  void poll(RedisConnection from)
      throws InterruptedException, ExecutionException, TimeoutException {
    byte[] found =
        await(
            from.commands()
                .dispatch(
                    CommandType.HGET,
                    new ValueOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(key).add(VERSION)));
    long current = found == null ? 0 : number(found);
    if (current != version) {
      readAll(from);
      version = current;
    }
  }

  private void readAll(RedisConnection from)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<byte[]> all =
        await(
            from.commands()
                .dispatch(
                    CommandType.HGETALL,
                    new ValueListOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(key)));
    Map<String, Long> found = new HashMap<>();
    for (int i = 0; all != null && i + 1 < all.size(); i += 2) {
      String field = new String(all.get(i), StandardCharsets.UTF_8);
      if (field.equals(NOTICES)) {
        applyNotices(new String(all.get(i + 1), StandardCharsets.UTF_8));
      } else if (!field.equals(NOTICED) && !field.equals(VERSION)) {
        found.put(field, number(all.get(i + 1)));
      }
    }
    generations.learn(found);
  }

  /** Removes the denials of buckets that were deleted since the last poll. */
  private void applyNotices(String notices) {
    for (String notice : notices.split(";", -1)) {
      int space = notice.indexOf(' ');
      if (space > 0 && Long.parseLong(notice.substring(0, space)) > lastNotice) {
        lastNotice = Long.parseLong(notice.substring(0, space));
        onNotice.accept(notice.substring(space + 1));
      }
    }
  }

  /** Starts a new generation of rules and plans. */
  CompletionStage<Void> reset(RedisConnection at, List<String> fields) {
    return recordReset(at, "", fields)
        .thenAccept(
            generation -> {
              Map<String, Long> found = new HashMap<>();
              fields.forEach(field -> found.put(field, generation));
              generations.learn(found);
            });
  }

  /** Deletes a bucket, and publishes a notice to remove its denial from all deny caches. */
  CompletionStage<Void> reset(RedisConnection at, BucketKey bucket, String notice) {
    return at.commands()
        .dispatch(
            CommandType.DEL,
            new IntegerOutput<>(ByteArrayCodec.INSTANCE),
            args().addKey(bucket.bytes()))
        .thenCompose(deleted -> recordReset(at, notice, List.of()))
        .thenAccept(number -> onNotice.accept(notice));
  }

  private CompletionStage<Long> recordReset(
      RedisConnection at, String notice, List<String> fields) {
    CommandArgs<byte[], byte[]> arguments =
        args().add(RESET.text()).add(1).addKey(key).add(notice.getBytes(StandardCharsets.UTF_8));
    fields.forEach(field -> arguments.add(field.getBytes(StandardCharsets.UTF_8)));
    return at.commands()
        .dispatch(CommandType.EVAL, new IntegerOutput<>(ByteArrayCodec.INSTANCE), arguments);
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }

  private static CommandArgs<byte[], byte[]> args() {
    return new CommandArgs<>(ByteArrayCodec.INSTANCE);
  }

  private <T> T await(CompletionStage<T> stage)
      throws InterruptedException, ExecutionException, TimeoutException {
    return stage.toCompletableFuture().get(timeoutMillis, TimeUnit.MILLISECONDS);
  }
}
