package dev.redline.bench.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.bench.BenchUsageException;
import dev.redline.bench.local.Measurement.Cell;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

class LocalReportTest {
  @Test
  void cellsWithinTheirBarsAreMarkedWin() {
    String report = report(contender -> contender.name().startsWith("REDLINE") ? 100 : 200, 0, 90);

    assertThat(report).contains("WIN").doesNotContain("LOSS").contains("Every cell meets its bar");
  }

  @Test
  void aCellSlowerThanAPeerIsMarkedLossWithThePeersName() {
    String report =
        report(contender -> contender == LocalContender.BUCKET4J_LOCK_FREE_PROBE ? 50 : 100, 0, 90);

    assertThat(report).contains("LOSS B4j lock-free");
  }

  @Test
  void aCellFarAboveTheFloorIsMarkedLoss() {
    String report = report(contender -> contender == LocalContender.FLOOR ? 10 : 100, 0, 90);

    assertThat(report).contains("10.00").contains("LOSS floor");
  }

  @Test
  void allocationAndHeapHaveTheirBarsToo() {
    String report = report(contender -> 100, 24, 101);

    assertThat(report).contains("LOSS B4j lock-free, B4j sync, B/op").contains("LOSS 100 B");
  }

  @Test
  void ratiosAreTakenWithinARound() {
    LocalReport report = new LocalReport(LocalBench.Plan.parse(List.of()));
    for (double load : new double[] {1, 5, 2}) {
      fill(report, contender -> contender == LocalContender.FLOOR ? 10 * load : 13 * load, 0, 90);
    }

    assertThat(print(report)).contains("1.30");
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThatThrownBy(() -> LocalBench.Plan.parse(List.of("--fast")))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("--fast");
    assertThatThrownBy(() -> LocalBench.Plan.parse(List.of("--rounds", "none")))
        .isInstanceOf(BenchUsageException.class)
        .hasMessageContaining("none");
  }

  private static String report(ToDoubleFunction<LocalContender> nanos, double bytes, double heap) {
    LocalReport report = new LocalReport(LocalBench.Plan.parse(List.of("--quick")));
    fill(report, nanos, bytes, heap);
    return print(report);
  }

  private static void fill(
      LocalReport report, ToDoubleFunction<LocalContender> nanos, double bytes, double heap) {
    for (int threads : new int[] {1, 2}) {
      for (LocalContender contender : LocalContender.values()) {
        for (int keys : new int[] {LocalBench.FEW_KEYS, LocalBench.MANY_KEYS}) {
          for (Mix mix : Mix.values()) {
            Cell cell = new Cell(contender.name(), keys, threads, mix);
            report.add(new Measurement(cell, nanos.applyAsDouble(contender), bytes, 1));
          }
        }
        Cell held = new Cell("heap-" + contender.name(), LocalBench.MANY_KEYS, 1, Mix.DENY);
        report.add(new Measurement(held, 0, heap, 0));
      }
      for (int rules : new int[] {LocalBench.FEW_RULES, LocalBench.MANY_RULES}) {
        Cell cell = new Cell("check-" + rules, LocalBench.FEW_KEYS, threads, Mix.ALLOW);
        report.add(new Measurement(cell, 100, bytes, 1));
      }
    }
  }

  private static String print(LocalReport report) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
