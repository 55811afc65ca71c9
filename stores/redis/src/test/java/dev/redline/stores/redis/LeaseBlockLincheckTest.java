package dev.redline.stores.redis;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Outcome;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every interleaving of spends and closing looks like one by one. */
@Tag("lincheck")
class LeaseBlockLincheckTest {
  /** Five tokens of 1 ms each, of a bucket that was full. */
  public static class Tokens {
    private final LeaseBlock block;

    /** Takes the tokens. */
    public Tokens() {
      RateLimitBand band = RateLimitBand.of(1000, 1000, Duration.ofSeconds(1));
      Outcome outcome = new Outcome();
      outcome.reset(1);
      outcome.decide(true, 1_000_000);
      RateLimitKey key = new RateLimitKey(Nodes.rule("r", band), "somebody");
      block = new LeaseBlock(1, key, 5, outcome, 0, 0, LeaseRules.CURRENT);
    }

    @Operation
    public long spend(
        @Param(gen = IntGen.class, conf = "1:3") int cost,
        @Param(gen = IntGen.class, conf = "0:4") int millis) {
      return block.spend(cost, millis * 1_000_000L);
    }

    @Operation
    public long usable(@Param(gen = IntGen.class, conf = "0:4") int millis) {
      return block.usable(millis * 1_000_000L);
    }

    @Operation
    public long close() {
      return block.close();
    }
  }

  @Test
  void spendsAreLinearizableUnderModelChecking() {
    new ModelCheckingOptions()
        .iterations(5)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(Tokens.class);
  }

  @Test
  void spendsAreLinearizableUnderStress() {
    new StressOptions()
        .iterations(5)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(Tokens.class);
  }
}
