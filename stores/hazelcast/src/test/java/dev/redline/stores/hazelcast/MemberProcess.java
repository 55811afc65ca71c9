package dev.redline.stores.hazelcast;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.testkit.internal.StoreLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A member in a process of its own, which runs until it is killed or its input ends. Arguments: the
 * cluster, its members. With the system property {@code requests} it acquires so many times from
 * one key of capacity 100, and prints how many were allowed.
 */
final class MemberProcess {
  private MemberProcess() {}

  public static void main(String[] args) throws Exception {
    HazelcastSettings settings =
        HazelcastSettings.embedded(Arrays.copyOfRange(args, 1, args.length))
            .withClusterName(args[0])
            .withTimeout(Duration.ofSeconds(10));
    try (HazelcastStore store = HazelcastStore.start(settings)) {
      if (!store.awaitReady(Duration.ofSeconds(60))) {
        throw new IllegalStateException("the store is not ready: " + store.health());
      }
      System.out.println("ready");
      int requests = Integer.getInteger("requests", 0);
      if (requests > 0) {
        System.out.println(
            Runtime.getRuntime().availableProcessors() + " " + allowed(store, requests));
        return;
      }
      System.in.read();
    }
  }

  private static int allowed(HazelcastStore store, int requests) {
    RateLimitKey key =
        new RateLimitKey(
            StoreLoad.rule("r", RateLimitBand.of(100, 1, Duration.ofDays(365))), "somebody");
    List<CompletableFuture<Outcome>> pending = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      pending.add(store.acquire(Acquisition.of(key, 1)).toCompletableFuture());
    }
    int allowed = 0;
    for (CompletableFuture<Outcome> one : pending) {
      allowed += one.join().allowed() ? 1 : 0;
    }
    return allowed;
  }
}
