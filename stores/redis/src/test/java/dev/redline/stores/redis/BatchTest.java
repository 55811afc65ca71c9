package dev.redline.stores.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.stores.redis.PendingAcquisition.Waiter;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How acquisitions are encoded for the script. */
class BatchTest {
  private static final RateLimitBand BAND = RateLimitBand.of(10, 10, Duration.ofSeconds(1));
  private static final RateLimitKey A = new RateLimitKey(Nodes.rule("r", BAND), "a");
  private static final RateLimitKey B = new RateLimitKey(Nodes.rule("r", BAND), "b");

  private final BucketKey.Maker keys = new BucketKey.Maker("rl", BucketKey.LAYOUT, new SlotTags(4));
  private final Batch batch = new Batch(new ScriptParameters.Cache(new Generations()));

  private void add(Acquisition acquisition) {
    batch.add(new PendingAcquisition(acquisition, keys, Long.MAX_VALUE, Waiter.CONTINUATIONS));
  }

  private int encoding() {
    return batch.arguments().get(0)[0];
  }

  @Test
  void mergesEqualAcquisitionsThatAreNotNeighbours() throws Exception {
    add(Acquisition.of(A, 1));
    add(Acquisition.of(B, 1));
    add(Acquisition.of(A, 1));
    assertThat(batch.different()).isEqualTo(2);
    assertThat(batch.keys()).hasSize(2);
    assertThat(encoding()).isEqualTo(3);

    // A: both allowed after a debt of 0; B: denied at a debt of 1 s.
    Outcome[] outcomes = batch.read(new long[] {5_000_000, 2, 0, 0, 1_000_000}, 5);
    assertThat(outcomes[0].allowed()).isTrue();
    assertThat(outcomes[1].allowed()).isFalse();
    assertThat(outcomes[2].allowed()).isTrue();
    assertThat(outcomes[0].views()[0]).isZero();
    assertThat(outcomes[2].views()[0]).isEqualTo(100_000);
  }

  @Test
  void keepsOrderWithinKey() {
    add(Acquisition.of(A, 1));
    add(Acquisition.of(A, 2));
    add(Acquisition.of(A, 1));
    assertThat(batch.different()).isEqualTo(3);
    assertThat(encoding()).isEqualTo(1);
  }

  @Test
  void doesNotMergeAcrossDryRunOfSameKey() {
    add(Acquisition.of(A, 1));
    add(Acquisition.of(A, 1, false, true));
    add(Acquisition.of(A, 1));
    assertThat(batch.different()).isEqualTo(3);
  }

  @Test
  void doesNotMergeAcrossAcquisitionOfSeveralKeysWithSameKey() {
    RateLimitKey other = new RateLimitKey(Nodes.rule("other", BAND), "b");
    add(Acquisition.of(A, 1));
    add(Acquisition.builder().take(A, 1).take(other, 1).build());
    add(Acquisition.of(A, 1));
    add(Acquisition.of(B, 1));
    add(Acquisition.of(A, 1));
    assertThat(batch.different()).isEqualTo(4);
    assertThat(encoding()).isZero();
  }

  @Test
  void sendsOneAcquisitionByScriptOfItsOwn() {
    add(Acquisition.of(A, 1));
    assertThat(batch.isOneSimpleAcquisition()).isTrue();
    assertThat(batch.arguments()).hasSize(1);
    add(Acquisition.of(A, 1));
    assertThat(batch.isOneSimpleAcquisition()).isFalse();
    assertThat(encoding()).isEqualTo(3);
  }

  @Test
  void choosesFlatEncodingByNumberOfBands() {
    RateLimitBand[] bands = {BAND, BAND, BAND};
    add(Acquisition.of(new RateLimitKey(Nodes.rule("three", bands), "a"), 1));
    assertThat(batch.isOneSimpleAcquisition()).isFalse();
    assertThat(encoding()).isEqualTo(4);
    add(Acquisition.of(A, 1));
    assertThat(encoding()).isEqualTo(1);
  }

  @Test
  void splitsRunsThatAreTooLong() {
    for (int i = 0; i < 300; i++) {
      add(Acquisition.of(A, 1));
    }
    assertThat(batch.different()).isEqualTo(2);
    assertThat(encoding()).isEqualTo(1);
    assertThat(List.of(batch.size(), batch.keys().size())).containsExactly(300, 1);
  }
}
