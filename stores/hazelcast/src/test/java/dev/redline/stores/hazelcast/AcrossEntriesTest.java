package dev.redline.stores.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.store.Acquisition;
import dev.redline.core.store.BucketStates;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import dev.redline.core.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The two steps of an acquisition from several entries, and what is refunded. */
class AcrossEntriesTest {
  private static final RateLimitKey FIRST = Clusters.key("five", 5, "first");
  private static final RateLimitKey SECOND = Clusters.key("five", 5, "second");
  private static final Acquisition BOTH =
      Acquisition.builder().take(FIRST, 1).take(SECOND, 1).build();

  private final Entries entries = new Entries();

  @Test
  void takesFromNoEntryIfOneDeniesTheDryRun() {
    entries.looked = Reply.DENIED;
    assertThat(acquire(BOTH).allowed()).isFalse();
    assertThat(entries.taken).isEmpty();
    assertThat(entries.refunded).isEmpty();
  }

  @Test
  void takesFromNoEntryInADryRun() {
    assertThat(acquire(BOTH.toBuilder().dryRun(true).build()).allowed()).isTrue();
    assertThat(entries.taken).isEmpty();
  }

  @Test
  void refundsNothingIfAllAllow() {
    assertThat(acquire(BOTH).allowed()).isTrue();
    assertThat(entries.taken).containsExactly(FIRST, SECOND);
    assertThat(entries.refunded).isEmpty();
  }

  @Test
  void refundsTheOthersIfOneDeniesAfterAll() {
    entries.took = Reply.DENIED;
    assertThat(acquire(BOTH).allowed()).isFalse();
    assertThat(entries.refunded).containsExactly(FIRST);
  }

  /** What an entry that fails has taken is unknown, so it is not refunded. */
  @Test
  void refundsTheOthersIfOneFails() {
    entries.took = Reply.FAILED;
    assertThatThrownBy(() -> acquire(BOTH)).hasCauseInstanceOf(StoreException.class);
    assertThat(entries.refunded).containsExactly(FIRST);
  }

  /** A reset may come between the take and the refund. */
  @Test
  void refundsUnderTheGenerationsFromBeforeTheTake() {
    entries.took = Reply.DENIED;
    acquire(BOTH);
    assertThat(entries.refundedGenerations).containsExactly(new long[] {10});
  }

  private Outcome acquire(Acquisition acquisition) {
    return new AcrossEntries(acquisition, entries).acquire().join();
  }

  private enum Reply {
    ALLOWED,
    DENIED,
    FAILED
  }

  /** Two entries; the second one replies as the test wants. Owners are reset at each take. */
  private static final class Entries implements AcrossEntries.Parts {
    private final List<RateLimitKey> taken = new ArrayList<>();
    private final List<RateLimitKey> refunded = new ArrayList<>();
    private final List<long[]> refundedGenerations = new ArrayList<>();
    private Reply looked = Reply.ALLOWED;
    private Reply took = Reply.ALLOWED;
    private int resets;

    @Override
    public long[] generations(Acquisition acquisition) {
      return new long[] {10 + resets, 20 + resets};
    }

    @Override
    public CompletableFuture<Outcome> acquire(Acquisition part, boolean second) {
      assertThat(part.dryRun()).isEqualTo(!second);
      if (second) {
        taken.add(part.key(0));
        resets++;
      }
      Reply reply = part.key(0).equals(FIRST) ? Reply.ALLOWED : second ? took : looked;
      return switch (reply) {
        case ALLOWED -> CompletableFuture.completedFuture(new BucketStates(part).decide(1000));
        case DENIED ->
            CompletableFuture.completedFuture(
                new BucketStates(Acquisition.of(SECOND, 6)).decide(1000));
        case FAILED ->
            CompletableFuture.failedFuture(
                new StoreException(StoreException.Kind.UNAVAILABLE, "failed"));
      };
    }

    @Override
    public void refund(Acquisition part, long[] generations, Outcome outcome) {
      assertThat(outcome.allowed()).isTrue();
      refunded.add(part.key(0));
      refundedGenerations.add(generations);
    }
  }
}
