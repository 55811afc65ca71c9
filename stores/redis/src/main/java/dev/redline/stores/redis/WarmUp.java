package dev.redline.stores.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Makes a dry-run decision of each algorithm in every lane before the store is ready. This loads
 * the script and the classes that read its reply, and proves that every master runs it. Takes no
 * tokens and creates no key.
 */
final class WarmUp {
  private static final BucketLimits SIMPLE =
      new BucketLimits(
          OwnerKind.PLAN,
          "warm-up",
          RateLimitBand.labelled(
              "warm-up", List.of(RateLimitBand.of(10, 3, Duration.ofSeconds(7)))));
  private static final BucketLimits ALL =
      new BucketLimits(
          OwnerKind.PLAN,
          "warm-up",
          RateLimitBand.labelled(
              "warm-up",
              List.of(
                  RateLimitBand.of(10, 3, Duration.ofSeconds(7)),
                  RateLimitBand.builder()
                      .capacity(10)
                      .refillTokens(3)
                      .period(Duration.ofSeconds(7))
                      .refill(Refill.INTERVAL)
                      .build(),
                  RateLimitBand.slidingWindow(10, Duration.ofSeconds(7)),
                  RateLimitBand.fixedWindow(10, Duration.ofSeconds(7)))));

  private final RedisSettings settings;
  private final Protocol protocol;
  private final ScriptParameters.Cache parameters = new ScriptParameters.Cache(new Generations());

  WarmUp(RedisSettings settings, Protocol protocol) {
    this.settings = settings;
    this.protocol = protocol;
  }

  void run(RedisConnection connection, SlotTags tags)
      throws InterruptedException, ExecutionException, TimeoutException {
    BucketKey.Maker keys = new BucketKey.Maker(settings.keyPrefix(), protocol.layout(), tags);
    int lanes = connection.cluster() ? tags.count() : 1;
    BitSet warm = new BitSet(lanes);
    for (int n = 0; warm.cardinality() < lanes; n++) {
      String identity = Integer.toString(n);
      int lane = connection.cluster() ? tags.laneOf(identity.getBytes(UTF_8)) : 0;
      if (!warm.get(lane)) {
        decide(connection, keys, new RateLimitKey(SIMPLE, identity));
        decide(connection, keys, new RateLimitKey(ALL, identity));
        warm.set(lane);
      }
    }
  }

  private void decide(RedisConnection connection, BucketKey.Maker keys, RateLimitKey key)
      throws InterruptedException, ExecutionException, TimeoutException {
    Acquisition acquisition = Acquisition.builder().dryRun(true).add(key, 1, false).build();
    Batch batch = new Batch(parameters);
    batch.add(
        new PendingAcquisition(
            acquisition, keys, Long.MAX_VALUE, PendingAcquisition.Waiter.THREAD));
    NumbersOutput output = new NumbersOutput();
    connection
        .call(true, protocol.acquire(batch).digest(), batch.keys(), batch.arguments(), output)
        .toCompletableFuture()
        .get(settings.connection().connectTimeout().toMillis(), TimeUnit.MILLISECONDS);
    try {
      batch.read(output.get(), output.size());
    } catch (ReplyReader.MalformedReplyException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }
}
