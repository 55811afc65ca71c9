package dev.redline.stores.redis;

import dev.redline.core.store.StoreHealth;
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
 * Looks whether Redis answers, how fast, and whether it may forget buckets that are not full. Used
 * by the connector's thread; what it last saw can be read by any.
 */
final class HealthProbe {
  private static final Logger LOG = System.getLogger(HealthProbe.class.getName());
  private static final long EVICTION_LOOK_NANOS = 60_000_000_000L;
  private static final Pattern POLICY = Pattern.compile("maxmemory_policy:(\\S+)");

  private final Duration patience;
  private final String address;
  private volatile StoreHealth last = StoreHealth.down("not connected to Redis yet");
  private String warning = "";
  private long evictionLookedNanos;

  HealthProbe(RedisSettings settings) {
    this.patience = settings.connection().connectTimeout();
    this.address = settings.connection().address();
    this.evictionLookedNanos = System.nanoTime() - EVICTION_LOOK_NANOS;
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

  /** Pings every master; returns what is seen, which nobody else knows of yet. */
  StoreHealth look(RedisConnection link) throws InterruptedException {
    String at = " at " + address;
    try {
      long slowest = 0;
      List<RedisConnection.Master> masters = link.masters();
      for (RedisConnection.Master master : masters) {
        at = " at " + (master.name().isEmpty() ? address : master.name());
        long start = System.nanoTime();
        ping(master.commands());
        slowest = Math.max(slowest, System.nanoTime() - start);
      }
      lookAtEviction(masters);
      return new StoreHealth(
          true,
          Optional.empty(),
          Optional.of(Duration.ofNanos(slowest)),
          details(link, masters.size()));
    } catch (TimeoutException e) {
      return StoreHealth.down(
          "Redis" + at + " did not answer within " + patience.toMillis() + " ms");
    } catch (ExecutionException | RuntimeException e) {
      return StoreHealth.down("Redis" + at + ": " + reason(e));
    }
  }

  /** Returns what happened and what was behind it, in one line. */
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
        .get(patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Map<String, String> details(RedisConnection link, int masters) {
    Map<String, String> details = new LinkedHashMap<>();
    details.put("topology", link.topology());
    details.put("masters", Integer.toString(masters));
    if (!warning.isEmpty()) {
      details.put("warning", warning);
    }
    return details;
  }

  private void lookAtEviction(List<RedisConnection.Master> masters)
      throws InterruptedException, TimeoutException {
    long now = System.nanoTime();
    if (now - evictionLookedNanos < EVICTION_LOOK_NANOS) {
      return;
    }
    evictionLookedNanos = now;
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
        + ": Redis may forget buckets that are not full, which reopens them; use noeviction";
  }

  /** Returns the eviction policy, or nothing where the user may not ask for it. */
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
              .get(patience.toMillis(), TimeUnit.MILLISECONDS);
      Matcher policy = POLICY.matcher(new String(memory, StandardCharsets.US_ASCII));
      return policy.find() ? policy.group(1) : "";
    } catch (ExecutionException e) {
      LOG.log(Level.DEBUG, "could not look at the eviction policy of Redis", e);
      return "";
    }
  }
}
