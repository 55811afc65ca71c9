package dev.redline.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.bench.BenchUsageException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisReportTest {
  @Test
  void barsThatAreMetAreWins() {
    assertThat(report(60, 0.5, 50, 0))
        .contains("WIN")
        .doesNotContain("LOSS")
        .contains("Every cell meets its bar");
  }

  @Test
  void everyMissedBarIsNamedWithTheRatio() {
    assertThat(report(1.2, 0.9, 200, 0))
        .contains("LOSS EVALSHA 1.20")
        .contains("LOSS EVALSHA 0.90")
        .contains("LOSS EVALSHA 2.00")
        .doesNotContain("LOSS 10 ms");
    assertThat(report(60, 0.5, 20_000, 0)).contains("LOSS 10 ms");
  }

  @Test
  void reportsChecksWithoutADecision() {
    assertThat(report(60, 0.5, 50, 7)).contains("round 1: 7 of 1007 without a decision");
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

    assertThatThrownBy(report::peak)
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("keys-256");
  }

  /** Reports a round in which Redline does so many times what everybody else does. */
  private static String report(double rate, double cpu, double latency, long failures) {
    RedisReport report = new RedisReport(RedisBench.Plan.parse(List.of("--quick")));
    for (Cell cell : Cell.values()) {
      for (RedisContender contender : cell.contenders()) {
        boolean own = contender == RedisContender.REDLINE;
        report.add(
            cell,
            contender,
            1,
            new Sample(
                1000,
                cell.population().mix() == BucketPopulation.Mix.ALLOW ? 1000 : 0,
                own ? failures : 0,
                (long) (1e9 / (own ? rate : 1)),
                own ? latency : 100,
                own ? latency : 100),
            own ? cpu : 1);
      }
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
