package dev.redline.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.bench.BenchUsageException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RedisReportTest {
  @Test
  void barsThatAreMetAreWins() {
    assertThat(report(0.05, 50, 2_000_000, 0))
        .contains("WIN")
        .doesNotContain("LOSS")
        .contains("Every cell meets its bar");
  }

  @Test
  void everyMissedBarIsNamedWithTheRatio() {
    assertThat(report(0.9, 200, 900_000, 0))
        .contains("LOSS EVALSHA 0.90")
        .contains("LOSS EVALSHA 2.00")
        .contains("LOSS 0.90M/s")
        .doesNotContain("LOSS 10 ms");
    assertThat(report(0.05, 20_000, 2_000_000, 0)).contains("LOSS 10 ms");
    assertThat(report(0.05, 71_000, 2_000_000, 0)).contains("LOSS later than time-out + 20 ms");
  }

  @Test
  void comparesOpenLoopsWithPlainCallsAtTheSamePartOfTheirPeak() {
    RedisReport report = filled(0.05, 200, 2_000_000, 0);

    assertThat(report.peak(RedisContender.REDLINE)).isEqualTo(2_000_000);
    assertThat(report.peak(RedisContender.FLOOR)).isEqualTo(1000);
    assertThat(report(0.05, 200, 2_000_000, 0))
        .containsPattern("open loop at 60 % of peak, p99 +\\| +100.\\d \\| +200.\\d .*\\| +2.00 ");
    for (Cell cell : Cell.values()) {
      if (cell.load() == Cell.Load.OPEN) {
        assertThat(cell.base()).isEqualTo(cell);
      }
    }
  }

  @Test
  void drawsLatenciesOfOpenLoops() {
    RedisReport report = filled(0.05, 50, 2_000_000, 0);
    assertThat(report.hasChart()).isTrue();
    assertThat(report.chart()).startsWith("<svg").contains("20 %").contains("80 %");
  }

  @Test
  void aSampleSurvivesTheWayBetweenProcesses() {
    Histogram latencies = Sample.histogram();
    latencies.recordValue(5_000_000);
    Sample sample = Sample.of(3, 2, 1, 7).withLatencies(latencies, 6_000_000).withCpu(9);
    assertThat(Sample.parse(sample.line())).isEqualTo(sample);
  }

  @Test
  void reportsChecksWithoutADecision() {
    assertThat(report(0.05, 50, 2_000_000, 7))
        .contains("round 1: 7 of 1007 without a decision")
        .contains("LOSS 7 without a decision");
  }

  /** Returns the report of rounds of which one had failures while time was stolen. */
  private static String disturbed(int quietRounds) {
    RedisReport report = new RedisReport(RedisBench.Plan.parse(List.of("--quick")));
    fill(report, 1, 0.05, 50_000, 2_000_000, 7, 0.2);
    for (int round = 2; round < 2 + quietRounds; round++) {
      fill(report, round, 0.05, 50, 2_000_000, 0, 0.004);
    }
    report.addRepeated();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void roundsWithStolenTimeAreShownButNotJudgedIfMostHadNone() {
    assertThat(disturbed(2))
        .contains("round 1: 7 of 1007 without a decision, 20.0 % of the time stolen")
        .contains("open loop at 60 % of peak: 2 of 3 rounds without stolen time")
        .contains("1 open loop(s) were repeated")
        .doesNotContain("LOSS 7 without a decision")
        .doesNotContain("LOSS 10 ms");
  }

  @Test
  void allRoundsAreJudgedIfMostHadStolenTime() {
    assertThat(disturbed(1)).contains("LOSS 10 ms, 7 without a decision");
  }

  @Test
  void unknownOptionsAndCellsAreNamed() {
    assertThatThrownBy(() -> RedisBench.Plan.parse(List.of("--fast")))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("--fast");
    assertThatThrownBy(() -> RedisBench.Plan.parse(List.of("--cells", "keys-65")))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("keys-65")
        .hasMessageContaining("keys-64");
  }

  @Test
  void theOpenLoopNeedsToKnowThePeak() {
    RedisReport report = new RedisReport(RedisBench.Plan.parse(List.of("--quick")));

    assertThatThrownBy(() -> report.peak(RedisContender.REDLINE))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("keys-256");
  }

  /**
   * Reports a round of Redline, in which all others need 1 µs on each side, and 100 µs for a call.
   */
  private static String report(double cpu, long latencyMicros, double rate, long failures) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    filled(cpu, latencyMicros, rate, failures)
        .print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static RedisReport filled(double cpu, long latencyMicros, double rate, long failures) {
    RedisReport report = new RedisReport(RedisBench.Plan.parse(List.of("--quick")));
    fill(report, 1, cpu, latencyMicros, rate, failures, 0);
    return report;
  }

  private static void fill(
      RedisReport report,
      int round,
      double cpu,
      long latencyMicros,
      double rate,
      long failures,
      double stolen) {
    for (Cell cell : Cell.values()) {
      for (RedisContender contender : cell.contenders()) {
        boolean own = contender == RedisContender.REDLINE;
        long passed = cell.population().mix() == BucketPopulation.Mix.ALLOW ? 1000 : 0;
        Histogram latencies = Sample.histogram();
        latencies.recordValue(1000 * (own ? latencyMicros : 100));
        report.add(
            cell,
            contender,
            round,
            Sample.of(1000, passed, own ? failures : 0, (long) (1e12 / (own ? rate : 1000)))
                .withLatencies(latencies, 1000 * (own ? latencyMicros : 100))
                .withCpu((long) (1_000_000 * (own ? cpu : 1))),
            own ? cpu : 1,
            stolen);
      }
    }
  }
}
