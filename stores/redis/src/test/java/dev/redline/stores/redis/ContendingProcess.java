package dev.redline.stores.redis;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A separate process that acquires from one key. Prints {@code ready}, waits for a line, submits
 * all acquisitions at once, and prints how many were allowed, were denied and failed.
 *
 * <p>Arguments: the URI, the key prefix, the number of acquisitions.
 */
final class ContendingProcess {
  static final RateLimitKey KEY =
      new RateLimitKey(Nodes.rule("r", RateLimitBand.of(100, 1, Duration.ofDays(365))), "somebody");

  private ContendingProcess() {}

  public static void main(String[] args) throws IOException {
    RedisSettings settings =
        RedisSettings.of(args[0]).withCommandTimeout(Duration.ofSeconds(2)).withKeyPrefix(args[1]);
    RedisStore store = RedisStore.start(settings);
    if (!store.awaitReady(Duration.ofSeconds(30))) {
      throw new IllegalStateException("the store is not ready: " + store.health());
    }
    System.out.println("ready");
    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    List<CompletableFuture<Outcome>> results = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[2]); i++) {
      results.add(store.acquire(Acquisition.of(KEY, 1)).toCompletableFuture());
    }
    int allowed = 0;
    int denied = 0;
    int failed = 0;
    for (CompletableFuture<Outcome> result : results) {
      try {
        if (result.join().allowed()) {
          allowed++;
        } else {
          denied++;
        }
      } catch (CompletionException e) {
        failed++;
      }
    }
    System.out.println(allowed + " " + denied + " " + failed);
    store.close();
  }
}
