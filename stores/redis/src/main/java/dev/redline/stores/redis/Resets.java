package dev.redline.stores.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The resets written down in Redis: one hash of generations, and a version that tells whether there
 * is anything new in it. Learnt by the connector's thread.
 */
final class Resets {
  private static final Script RESET = Script.load("reset.lua");

  private static final String VERSION = "version";
  private static final String NOTICES = "notices";
  private static final String NOTICED = "noticed";

  private final Generations generations;
  private final DenyCache denials;
  private final byte[] key;
  private final long patienceMillis;
  private long version = -1;
  private long heard;

  Resets(RedisSettings settings, Generations generations, DenyCache denials) {
    this.generations = generations;
    this.denials = denials;
    this.key = RedisConnection.ascii(settings.keyPrefix() + ":m:generations");
    this.patienceMillis = settings.connection().connectTimeout().toMillis();
  }

  /** Learns what other nodes have reset since the last time. */
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
      learnAll(from);
      version = current;
    }
  }

  private void learnAll(RedisConnection from)
      throws InterruptedException, ExecutionException, TimeoutException {
    List<byte[]> all =
        await(
            from.commands()
                .dispatch(
                    CommandType.HGETALL,
                    new ValueListOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(key)));
    for (int i = 0; all != null && i + 1 < all.size(); i += 2) {
      String field = new String(all.get(i), StandardCharsets.UTF_8);
      if (field.equals(NOTICES)) {
        hear(new String(all.get(i + 1), StandardCharsets.UTF_8));
      } else if (!field.equals(NOTICED) && !field.equals(VERSION)) {
        generations.learn(field, number(all.get(i + 1)));
      }
    }
  }

  /** Forgets the denials of buckets that were deleted since the last time. */
  private void hear(String notices) {
    for (String notice : notices.split(";", -1)) {
      int space = notice.indexOf(' ');
      if (space > 0 && Long.parseLong(notice.substring(0, space)) > heard) {
        heard = Long.parseLong(notice.substring(0, space));
        denials.forget(notice.substring(space + 1));
      }
    }
  }

  /** Begins a new generation of rules and plans. */
  CompletionStage<Void> reset(RedisConnection at, List<String> fields) {
    return tell(at, "", fields)
        .thenAccept(generation -> fields.forEach(field -> generations.learn(field, generation)));
  }

  /** Deletes a bucket, and tells the other nodes to forget that it refused. */
  CompletionStage<Void> reset(RedisConnection at, BucketKey bucket, String notice) {
    return at.commands()
        .dispatch(
            CommandType.DEL,
            new IntegerOutput<>(ByteArrayCodec.INSTANCE),
            args().addKey(bucket.bytes()))
        .thenCompose(deleted -> tell(at, notice, List.of()))
        .thenAccept(number -> denials.forget(notice));
  }

  private CompletionStage<Long> tell(RedisConnection at, String notice, List<String> fields) {
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
    return stage.toCompletableFuture().get(patienceMillis, TimeUnit.MILLISECONDS);
  }
}
