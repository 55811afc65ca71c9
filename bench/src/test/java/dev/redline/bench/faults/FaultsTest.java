package dev.redline.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every fault, under rules of each failure strategy at once. */
@Tag("faults")
class FaultsTest {
  private static final Duration OUTAGE = Duration.ofMillis(2500);

  @ParameterizedTest
  @EnumSource(Fault.class)
  void callersGetTheDecisionTheirRuleAsksForInTime(Fault fault) {
    DrillReport report = new Drill(fault, OUTAGE).run();
    System.out.println(report);

    assertThat(report.escaped()).as("exceptions").isEmpty();
    assertThat(report.wrong()).as("wrong outcomes").isEmpty();
    assertThat(report.degraded()).as("degraded decisions").isPositive();
    // A machine that stands still delays everybody; that is not what is judged here.
    assertThat(report.slowest())
        .isLessThan(Drill.timeout().plusMillis(250).plus(report.machineStall()));
    assertThat(report.toRecover()).as("recovered").isPresent();
    if (fault == Fault.ONE_OF_THREE) {
      assertThat(report.affected())
          .as("only the keys of one master")
          .isPositive()
          .isLessThan(Drill.callers());
    }
    long bound = Drill.capacity() + Drill.capacity() * report.outage().plusSeconds(1).toSeconds();
    assertThat((long) report.maxAllowedLocally()).isLessThanOrEqualTo(bound);
  }
}
