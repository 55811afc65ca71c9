package dev.redline.core.internal.memory;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.store.Acquisition;
import dev.redline.core.store.RateLimitKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every interleaving of acquisitions, resets, sweeps and time looks like one after the other. */
@Tag("lincheck")
class LincheckTest {
  private static final RateLimitKey PACKED_A =
      Fixture.key(Fixture.limits("a", Fixture.perSecond(2)), "k");
  private static final RateLimitKey PACKED_B =
      Fixture.key(Fixture.limits("b", Fixture.perSecond(3)), "k");
  private static final RateLimitKey WIDE_A = Fixture.key(wide("a", 2), "k");
  private static final RateLimitKey WIDE_B = Fixture.key(wide("b", 3), "k");

  private static BucketLimits wide(String rule, long capacity) {
    return Fixture.limits(
        rule,
        Fixture.perSecond(capacity),
        RateLimitBand.slidingWindow(capacity + 1, Duration.ofSeconds(2)));
  }

  /** Buckets of one word. */
  public static class PackedCells extends Cells {
    public PackedCells() {
      super(PACKED_A, PACKED_B);
    }
  }

  /** Buckets of several bands. */
  public static class WideCells extends Cells {
    public WideCells() {
      super(WIDE_A, WIDE_B);
    }
  }

  /**
   * Two keys and room for one: each is now in the table, now in an overflow group, which it shares
   * with nobody, so that it must not notice.
   */
  public abstract static class Cells {
    private final AtomicLong now = new AtomicLong(Fixture.START);
    private final HashTableStore store = new HashTableStore(1, now::get, null);
    private final RateLimitKey a;
    private final RateLimitKey b;

    Cells(RateLimitKey a, RateLimitKey b) {
      this.a = a;
      this.b = b;
    }

    @Operation
    public boolean acquire(@Param(gen = IntGen.class, conf = "1:3") int cost) {
      return Fixture.take(store, a, cost);
    }

    @Operation
    public boolean acquireBoth(@Param(gen = IntGen.class, conf = "1:2") int cost) {
      return Fixture.decide(store, Acquisition.builder().take(b, 1).take(a, cost).build())
          .allowed();
    }

    @Operation
    public long peek() {
      Acquisition look = Acquisition.builder().take(a, 1).dryRun(true).build();
      return a.limits().band(0).remaining(Fixture.decide(store, look).views(), 0);
    }

    @Operation
    public void pass() {
      now.addAndGet(Fixture.SECOND);
    }

    @Operation
    public void sweep() {
      store.sweep();
    }

    @Operation
    public void reset() {
      store.reset(List.of(a.limits()));
    }

    @Operation
    public void resetKey() {
      store.reset(a);
    }
  }

  /** A key of an overflow group that gets a bucket of its own with its next acquisition. */
  public static class MovingKey {
    private final HashTableStore store = new HashTableStore(1, () -> Fixture.START, null);
    private final RateLimitKey key = Fixture.key(Fixture.limits("r", Fixture.slow(1)), "k");

    /** Fills the table, then the group, then makes room in the table. */
    public MovingKey() {
      RateLimitKey other = Fixture.key(Fixture.limits("s", Fixture.slow(1)), "k");
      Fixture.take(store, other, 1);
      Fixture.take(store, key, 1);
      store.remove(other, Objects.requireNonNull(store.peek(other)));
    }

    @Operation
    public boolean acquire() {
      return Fixture.take(store, key, 1);
    }

    @Operation
    public void reset() {
      store.reset(List.of(key.limits()));
    }
  }

  private static ModelCheckingOptions modelChecking() {
    return new ModelCheckingOptions()
        // The hash table is taken at its word, so that the search spends itself on the buckets.
        .addGuarantee(
            forClasses(ConcurrentHashMap.class.getName())
                .methods("get", "putIfAbsent", "remove")
                .treatAsAtomic())
        .iterations(4)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(0);
  }

  private static StressOptions stress() {
    return new StressOptions()
        .iterations(5)
        .invocationsPerIteration(500)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(1);
  }

  @Test
  void oneWordBucketsAreLinearizableUnderModelChecking() {
    modelChecking().check(PackedCells.class);
  }

  @Test
  void wideBucketsAreLinearizableUnderModelChecking() {
    modelChecking().check(WideCells.class);
  }

  @Test
  void aKeyThatMovesToTheTableDuringAResetIsLinearizable() throws NoSuchMethodException {
    Actor acquire = new Actor(MovingKey.class.getMethod("acquire"), List.of());
    Actor reset = new Actor(MovingKey.class.getMethod("reset"), List.of());
    modelChecking()
        .addCustomScenario(
            new ExecutionScenario(
                List.of(), List.of(List.of(acquire), List.of(reset)), List.of(acquire), null))
        .iterations(0)
        .invocationsPerIteration(1000)
        .check(MovingKey.class);
  }

  @Test
  void oneWordBucketsAreLinearizableUnderStress() {
    stress().check(PackedCells.class);
  }

  @Test
  void wideBucketsAreLinearizableUnderStress() {
    stress().check(WideCells.class);
  }
}
