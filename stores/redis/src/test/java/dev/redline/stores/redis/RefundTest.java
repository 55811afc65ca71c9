package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RefundTest {
  /** Tokens taken in one generation must not be refunded to the bucket of the next. */
  @Test
  void refundsToGenerationThatWasSent() {
    RateLimitKey key = new RateLimitKey(Nodes.rule("r", Nodes.slow(10)), "somebody");
    Generations generations = new Generations();
    generations.learn(Map.of(Generations.field(key.limits()), 7L));
    PendingAcquisition pending =
        new PendingAcquisition(
            Acquisition.of(key, 1),
            new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4)),
            0,
            Waiter.CONTINUATIONS);
    new Batch(new ScriptParameters.Cache(generations)).add(pending);
    generations.learn(Map.of(Generations.field(key.limits()), 8L));
    Outcome taken = new Outcome();
    taken.reset(1);
    taken.pass(0);
    taken.decide(true, 1_000_000_000_000_000L);

    byte[] argument = new Refund(pending, taken, limits -> true).arguments().get(0);

    assertThat(ByteBuffer.wrap(argument).getLong() >>> 8).isEqualTo(7);
  }
}
