package dev.redline.bench.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisScriptingAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * The baseline without batching: one EVALSHA of a minimal GCRA script per decision, over one
 * Lettuce connection.
 */
final class EvalshaFloor implements Client {
  private static final String SCRIPT =
      """
      local time = redis.call('TIME')
      local now = time[1] * 1000000 + time[2]
      local full = tonumber(redis.call('GET', KEYS[1]) or 0)
      if full < now then full = now end
      full = full + ARGV[1]
      if full - now > tonumber(ARGV[2]) then return 0 end
      redis.call('SET', KEYS[1], full, 'PX', math.ceil((full - now) / 1000))
      return 1
      """;

  private final AbstractRedisClient client;
  private final RedisScriptingAsyncCommands<byte[], byte[]> commands;
  private final String digest;

  private EvalshaFloor(
      AbstractRedisClient client, RedisScriptingAsyncCommands<byte[], byte[]> commands) {
    this.client = client;
    this.commands = commands;
    this.digest = commands.scriptLoad(SCRIPT).toCompletableFuture().join();
  }

  static EvalshaFloor connect(String uri, boolean cluster) {
    if (cluster) {
      RedisClusterClient client = RedisClusterClient.create(RedisURI.create(uri));
      StatefulRedisClusterConnection<byte[], byte[]> connection =
          client.connect(ByteArrayCodec.INSTANCE);
      return new EvalshaFloor(client, connection.async());
    }
    RedisClient client = RedisClient.create(RedisURI.create(uri));
    StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE);
    return new EvalshaFloor(client, connection.async());
  }

  @Override
  public Limiter limiter(BucketPopulation population) {
    return new Buckets(population);
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private final class Buckets implements Limiter {
    private final byte[][][] keys;
    private final byte[] price;
    private final byte[] horizon;

    Buckets(BucketPopulation population) {
      long micros = population.periodSeconds(0) * 1_000_000L / population.refill();
      price = Long.toString(micros).getBytes(StandardCharsets.US_ASCII);
      horizon = Long.toString(micros * population.capacity()).getBytes(StandardCharsets.US_ASCII);
      keys = new byte[population.keys()][1][];
      CompletableFuture<?>[] sent = new CompletableFuture<?>[keys.length];
      for (int i = 0; i < keys.length; i++) {
        keys[i][0] = ("floor:" + population.name(i)).getBytes(StandardCharsets.UTF_8);
        sent[i] = call(i);
      }
      CompletableFuture.allOf(sent).join();
    }

    private CompletableFuture<Long> call(int i) {
      return commands
          .<Long>evalsha(digest, ScriptOutputType.INTEGER, keys[i], price, horizon)
          .toCompletableFuture();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback gets the outcome
    public void acquire(int i, Callback callback) {
      call(i)
          .whenComplete(
              (passed, failure) -> callback.onDecision(failure == null && passed == 1, failure));
    }

    @Override
    public boolean acquireAndWait(int i) {
      return call(i).join() == 1;
    }
  }
}
