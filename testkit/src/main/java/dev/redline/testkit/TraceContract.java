package dev.redline.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The part of the store contract that plays generated traffic against the reference model. */
public interface TraceContract extends ProvidesStore {
  /** Verdict, remaining, wait and reset equal the model's, always. */
  @Test
  default void generatedTracesAgreeWithTheReferenceModel() {
    SplittableRandom seeds = new SplittableRandom();
    boolean timeless;
    try (StoreUnderTest probe = newStore()) {
      timeless = probe.clock().isPresent();
    }
    int traces = timeless ? 200 : 15;
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
