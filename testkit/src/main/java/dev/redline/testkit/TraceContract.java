package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The part of the store contract that plays generated traffic against the reference model. */
public interface TraceContract extends ProvidesStore {
  /** Decision, remaining, wait and reset equal those of the model. */
  @Test
  default void generatedTracesAgreeWithTheReferenceModel() {
    SplittableRandom seeds = new SplittableRandom();
    boolean manualClock;
    try (StoreUnderTest probe = newStore()) {
      manualClock = probe.clock().isPresent();
    }
    int traces = manualClock ? 200 : 15;
    for (int i = 0; i < traces; i++) {
      long seed = i < traces / 2 ? i : seeds.nextLong();
      try (CheckedStore store = new CheckedStore(this)) {
        GeneratedTrace trace = new GeneratedTrace(store, seed);
        assertThatCode(trace::play)
            .as(() -> "trace of seed " + seed + ": " + trace)
            .doesNotThrowAnyException();
      }
    }
  }
}
