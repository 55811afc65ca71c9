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

  private final Generations generations;
  private final byte[] key;
  private final long patienceMillis;
  private long version = -1;

  Resets(RedisSettings settings, Generations generations) {
    this.generations = generations;
    this.key = RedisLink.ascii(settings.keyPrefix() + ":m:generations");
    this.patienceMillis = settings.connectTimeout().toMillis();
  }

  /** Learns what other nodes have reset since the last time. */
  void poll(RedisLink from) throws InterruptedException, ExecutionException, TimeoutException {
    byte[] found =
        await(
            from.commands()
                .dispatch(
                    CommandType.HGET,
                    new ValueOutput<>(ByteArrayCodec.INSTANCE),
                    args().addKey(key).add("version")));
    long current = found == null ? 0 : number(found);
    if (current != version) {
      learnAll(from);
      version = current;
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
                    args().addKey(key)));
    for (int i = 0; all != null && i + 1 < all.size(); i += 2) {
      generations.learn(new String(all.get(i), StandardCharsets.UTF_8), number(all.get(i + 1)));
    }
  }

  /** Begins a new generation of a rule or plan. */
  CompletionStage<Void> reset(RedisLink at, String field) {
    return at.commands()
        .dispatch(
            CommandType.EVAL,
            new IntegerOutput<>(ByteArrayCodec.INSTANCE),
            args().add(RESET.text()).add(1).addKey(key).add(field.getBytes(StandardCharsets.UTF_8)))
        .thenAccept(generation -> generations.learn(field, generation));
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
