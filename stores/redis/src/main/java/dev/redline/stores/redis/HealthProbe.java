package dev.redline.stores.redis;

import dev.redline.core.store.StorageProvider.StoreHealth;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Probes whether Redis replies, how fast, and whether its eviction policy may delete buckets that
 * are not full. Used by the connector's thread; any thread can read the last result.
 */
final class HealthProbe {
  private static final Logger LOG = System.getLogger(HealthProbe.class.getName());
  private static final long EVICTION_CHECK_NANOS = 60_000_000_000L;
  private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

  private final Duration timeout;
  private final String address;
  private volatile StoreHealth last = StoreHealth.down("not connected to Redis yet");
  private String warning = "";
  private long evictionCheckedNanos;

  HealthProbe(RedisSettings settings) {
    this.timeout = settings.connection().connectTimeout();
    this.address = settings.connection().address();
    this.evictionCheckedNanos = System.nanoTime() - EVICTION_CHECK_NANOS;
  }

  StoreHealth last() {
    return last;
  }

  void down(String reason) {
    last = StoreHealth.down(reason);
  }

  void publish(StoreHealth seen) {
    last = seen;
  }

  /** Pings every master; returns the result without publishing it. */
  StoreHealth probe(RedisConnection connection) throws InterruptedException {
    String at = " at " + address;
    try {
      long slowest = 0;
      List<RedisConnection.Master> masters = connection.masters();
      for (RedisConnection.Master master : masters) {
        at = " at " + (master.name().isEmpty() ? address : master.name());
        long start = System.nanoTime();
        ping(master.commands());
        slowest = Math.max(slowest, System.nanoTime() - start);
      }
      checkEvictionPolicy(masters);
      return new StoreHealth(
          true,
          Optional.empty(),
          Optional.of(Duration.ofNanos(slowest)),
          details(connection, masters.size()));
    } catch (TimeoutException e) {
      return noReply(at);
    } catch (ExecutionException | RuntimeException e) {
      // Lettuce has the same time-out, and sometimes notices first.
      return e.getCause() instanceof RedisCommandTimeoutException
          ? noReply(at)
          : StoreHealth.down("Redis" + at + ": " + reason(e));
    }
  }

  private StoreHealth noReply(String at) {
    return StoreHealth.down("Redis" + at + " did not reply within " + timeout.toMillis() + " ms");
  }

  /** Returns the messages of a failure and of its root cause, in one line. */
  static String reason(Throwable e) {
    boolean wrapped = e instanceof ExecutionException || e instanceof CompletionException;
    Throwable top = wrapped && e.getCause() != null ? e.getCause() : e;
    Throwable root = top;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String first = message(top);
    String last = message(root);
    return first.contains(last) ? first : first + ": " + last;
  }

  private static String message(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private void ping(BaseRedisAsyncCommands<byte[], byte[]> commands)
      throws InterruptedException, ExecutionException, TimeoutException {
    commands
        .dispatch(CommandType.PING, new StatusOutput<>(ByteArrayCodec.INSTANCE))
        .toCompletableFuture()
        .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Map<String, String> details(RedisConnection connection, int masters) {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("topology", connection.topology());
    details.put("masters", Integer.toString(masters));
    if (!warning.isEmpty()) {
      details.put("warning", warning);
    }
    return details;
  }

  private void checkEvictionPolicy(List<RedisConnection.Master> masters)
      throws InterruptedException, TimeoutException {
    long now = System.nanoTime();
    if (now - evictionCheckedNanos < EVICTION_CHECK_NANOS) {
      return;
    }
    evictionCheckedNanos = now;
    String found = "";
    for (RedisConnection.Master master : masters) {
      String policy = policy(master.commands());
      if (!policy.equals("noeviction")) {
        found = policy.isEmpty() ? "" : advice(policy);
      }
    }
    if (!found.isEmpty() && !found.equals(warning)) {
      LOG.log(Level.WARNING, found);
    }
    warning = found;
  }

  private static String advice(String policy) {
    return "maxmemory-policy is "
        + policy
        + ": Redis may evict buckets that are not full, which refills them; use noeviction";
  }

  /** Returns the eviction policy; empty if the user has no permission for INFO. */
  private String policy(BaseRedisAsyncCommands<byte[], byte[]> commands)
      throws InterruptedException, TimeoutException {
    try {
      byte[] memory =
          commands
              .dispatch(
                  CommandType.INFO,
                  new ValueOutput<>(ByteArrayCodec.INSTANCE),
                  new CommandArgs<>(ByteArrayCodec.INSTANCE).add("memory"))
              .toCompletableFuture()
              .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      Matcher policy = POLICY.matcher(new String(memory, StandardCharsets.US_ASCII));
      return policy.find() ? policy.group(1) : "";
    } catch (ExecutionException e) {
      LOG.log(Level.DEBUG, "reading the eviction policy of Redis failed", e);
      return "";
    }
  }
}
