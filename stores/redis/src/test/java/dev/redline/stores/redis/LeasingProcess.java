package dev.redline.stores.redis;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A separate process that acquires from one busy key with leases, until it is killed or its time is
 * over. It writes the server's time of everything it was allowed to a mapped file, which survives
 * the process: first the number of entries, then the entries; the last entry counts denials.
 *
 * <p>Arguments: the URI, the key prefix, the file, seconds to run, acquisitions per second.
 */
final class LeasingProcess {
  static final int ENTRIES = 200_000;

  private LeasingProcess() {}

  /** Returns a limit that is exhausted early in a run of that length. */
  static RateLimitBand band(int seconds) {
    return RateLimitBand.of(seconds < 60 ? 2_000 : 10_000, 1_000, Duration.ofSeconds(1));
  }

  static LongBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, 8L * (ENTRIES + 2)).asLongBuffer();
    }
  }

  public static void main(String[] args) throws IOException {
    LongBuffer log = map(Path.of(args[2]));
    RedisSettings settings =
        RedisSettings.of(args[0])
            .withCommandTimeout(Duration.ofSeconds(2))
            .withKeyPrefix(args[1])
            .withLease(LeaseSettings.ON);
    RedisStore store = RedisStore.start(settings);
    if (!store.awaitReady(Duration.ofSeconds(60))) {
      throw new IllegalStateException("the store is not ready: " + store.health());
    }
    System.out.println("ready");
    System.in.read();
    long begin = System.nanoTime();
    int seconds = Integer.parseInt(args[3]);
    RateLimitKey key = new RateLimitKey(Nodes.rule("r", band(seconds)), "somebody");
    long end = begin + TimeUnit.SECONDS.toNanos(seconds);
    double pause = 1e9 / Long.parseLong(args[4]);
    int done = 0;
    for (long now = begin; now - end < 0; now = System.nanoTime()) {
      if (now - begin < done * pause) {
        LockSupport.parkNanos(100_000);
        continue;
      }
      done++;
      acquire(store, log, Acquisition.of(key, done % 50 == 0 ? 5 : 1));
    }
    System.out.println(
        store.leases().orElseThrow().acquired() + " " + store.leases().orElseThrow().spent());
    store.close();
  }

  private static void acquire(RedisStore store, LongBuffer log, Acquisition acquisition) {
    Outcome outcome = new Outcome();
    try {
      if (!store.acquireNow(acquisition, outcome)) {
        outcome = store.acquireAndWait(acquisition);
      }
    } catch (StoreException e) {
      return;
    }
    if (outcome.allowed()) {
      for (int i = 0; i < acquisition.cost(0); i++) {
        int entries = (int) log.get(0);
        log.put(entries + 1, outcome.nowMicros());
        log.put(0, entries + 1L);
      }
    } else {
      log.put(ENTRIES + 1, log.get(ENTRIES + 1) + 1);
    }
  }
}
