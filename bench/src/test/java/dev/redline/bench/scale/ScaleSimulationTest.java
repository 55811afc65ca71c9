package dev.redline.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.redline.bench.scale.ScaleScenario.Faults;
import dev.redline.bench.scale.ScaleScenario.Keys;
import dev.redline.bench.scale.ScaleScenario.Leasing;
import dev.redline.bench.scale.ScaleScenario.Load;
import dev.redline.bench.scale.ScaleScenario.Times;
import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleSimulationTest {
  /** Ten nodes with one bucket of 400 tokens, refilled in 10 ms, and a surge that drains it. */
  private static final ScaleScenario SURGE =
      ScaleScenario.DEFAULT
          .with(new Load(10, 1500, 0, 40))
          .with(new Keys(1, 0, Optional.of(RateLimitBand.parse("400/10ms"))))
          .with(new Times(Duration.ofMillis(200), Duration.ofMillis(200)));

  private static ScaleResult run(ScaleScenario scenario) {
    return new ScaleSimulation(scenario).run(part -> {});
  }

  @Test
  void findsOverAdmissionsOfLeasesWithoutDecay() {
    assertThat(run(SURGE.with(Leasing.WITHOUT_DECAY)).over()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void leasesAllowNoMoreThanTheLimit(long seed) {
    ScaleResult result = run(SURGE.withSeed(seed));
    assertThat(result.over()).isZero();
    assertThat(result.spent()).as("spent leased tokens").isPositive();
    assertThat(result.denied()).isPositive();
    assertThat(result.early()).as("of at most nodes × a sixteenth").isLessThan(10 * 400 / 16);
  }

  @ParameterizedTest
  @EnumSource(
      value = Leasing.class,
      names = {"OFF", "ON"})
  void crashesAndASlowMasterAllowNoMoreThanTheLimit(Leasing leases) {
    ScaleResult result =
        run(
            ScaleScenario.DEFAULT
                .with(new Load(20, 5000, 0, 3))
                .with(new Keys(1000, 1.1, Optional.empty()))
                .with(leases)
                .with(new Faults(30, 50))
                .withMasters(3)
                .with(new Times(Duration.ofMillis(100), Duration.ofMillis(300))));
    assertThat(result.over()).isZero();
    assertThat(result.denied()).isPositive();
    assertThat(result.lost() > 0).isEqualTo(leases == Leasing.ON);
    assertThat(result.highestLoad()).as("of the slow master").isGreaterThan(0.99);
    assertThat(result.meanLoad()).isLessThan(0.9);
  }

  @Test
  void withoutLeasesNothingIsDeniedEarly() {
    ScaleResult result = run(SURGE.with(Leasing.OFF));
    assertThat(result.denied()).isPositive();
    assertThat(result.early()).isZero();
    assertThat(result.spent()).isZero();
    assertThat(result.mostHeld()).isZero();
  }

  @Test
  void theSameSeedGivesTheSameResult() {
    ScaleScenario scenario =
        ScaleScenario.DEFAULT
            .with(new Load(5, 4000, 0, 1))
            .with(new Keys(500, 1.0, Optional.empty()))
            .with(new Faults(1, 20))
            .withMasters(2)
            .with(new Times(Duration.ofMillis(50), Duration.ofMillis(150)));
    String first = withoutHistogram(run(scenario));
    assertThat(withoutHistogram(run(scenario))).isEqualTo(first);
    assertThat(withoutHistogram(run(scenario.withSeed(2)))).isNotEqualTo(first);
  }

  private static String withoutHistogram(ScaleResult result) {
    return result.toString().replace(result.latencies().toString(), "")
        + result.latencies().getTotalCount()
        + result.latencies().getMean();
  }

  @Test
  void aMasterThatCannotKeepUpLeavesRequestsUndecided() {
    ScaleResult result =
        run(
            ScaleScenario.DEFAULT
                .with(new Load(4, 2000, 0, 1))
                .with(new Keys(1000, 0, Optional.of(RateLimitBand.parse("1000/s"))))
                .with(new Faults(20_000, 0))
                .with(new Times(Duration.ofMillis(100), Duration.ofMillis(300))));
    assertThat(result.undecided()).isPositive();
    assertThat(result.latencyMillis(100)).isBetween(50.0, 80.0);
  }

  /** As {@code bench redis} measures: 64 outstanding make two calls of 32 in turn. */
  @Test
  void aClosedLoopOf64FillsCallsOf32() {
    ScaleResult result =
        run(
            ScaleScenario.DEFAULT
                .with(new Load(1, 1, 64, 1))
                .with(new Keys(10_000, 0, Optional.of(RateLimitBand.parse("1000/s burst 1000000"))))
                .with(Leasing.OFF)
                .with(new Times(Duration.ofMillis(20), Duration.ofMillis(50))));
    assertThat((double) result.decisions() / result.calls()).isCloseTo(32, within(4.0));
  }
}
