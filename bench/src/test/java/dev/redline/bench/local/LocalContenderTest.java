package dev.redline.bench.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A limiter that never denies, or always does, would not be comparable. */
class LocalContenderTest {
  private static final int KEYS = 50;
  private static final int REQUESTS = 400;

  @ParameterizedTest
  @EnumSource
  void passesEveryRequestWhileThereIsPlenty(LocalContender contender) {
    assertThat(passed(contender, Mix.ALLOW)).isEqualTo(REQUESTS);
  }

  @ParameterizedTest
  @EnumSource
  void deniesEveryRequestAfterTheFirstOfAKey(LocalContender contender) {
    assertThat(passed(contender, Mix.DENY)).isZero();
  }

  private static int passed(LocalContender contender, Mix mix) {
    try (KeyPopulation population = contender.populate(new Keys(KEYS), mix)) {
      KeyPopulation.Caller caller = population.caller();
      int passed = 0;
      for (int i = 0; i < REQUESTS; i++) {
        passed += caller.acquire(i % KEYS) ? 1 : 0;
      }
      return passed;
    }
  }

  @Test
  void requestsOfACheckMatchARuleOfTheirOwn() {
    try (KeyPopulation few = new CheckPopulation(10, KEYS, Mix.DENY);
        KeyPopulation many = new CheckPopulation(10_000, KEYS, Mix.DENY)) {
      assertThat(few.caller().acquire(0)).isFalse();
      assertThat(many.caller().acquire(KEYS - 1)).isFalse();
    }
  }

  @Test
  void loadCountsDecisionsAndAllowedOnes() throws InterruptedException {
    try (KeyPopulation population = LocalContender.FLOOR.populate(new Keys(KEYS), Mix.DENY)) {
      Load.Sample sample = Load.run(population, KEYS, 2, Duration.ofMillis(5));

      assertThat(sample.decisions()).isPositive();
      assertThat(sample.passed()).isZero();
      assertThat(sample.nanosPerDecision()).isPositive();
    }
  }

  @Test
  void aProbePrintsEveryCellOfItsContender() throws InterruptedException {
    List<Measurement> measurements = probe("REDLINE_STORE", "50", "1", "1", "false");

    assertThat(measurements)
        .extracting(Measurement::cell)
        .extracting(cell -> cell.threads() + " " + cell.mix())
        .containsExactly("1 allow", "2 allow", "1 deny", "2 deny");
    assertThat(measurements)
        .extracting(Measurement::passedShare)
        .containsExactly(1.0, 1.0, 0.0, 0.0);
  }

  @Test
  void aHeapProbeSeesTheBucketsOfAllKeys() throws InterruptedException {
    List<Measurement> measurements = probe("heap", "20000", "REDLINE_STORE");

    assertThat(measurements).hasSize(1);
    assertThat(measurements.get(0).bytes()).isBetween(40.0, 400.0);
    assertThat(measurements.get(0).passedShare()).isZero();
  }

  private static List<Measurement> probe(String... arguments) throws InterruptedException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    LocalProbe.run(List.of(arguments), new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8).lines().map(Measurement::parse).toList();
  }
}
