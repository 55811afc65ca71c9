package dev.redline.bench.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.bench.ProcessorTimes;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QuietSecondsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long FAST = 1_000_000;
  private static final long SLOW = 100_000_000;

  private long stolen;
  private long total;

  private final QuietSeconds seconds = new QuietSeconds(0, () -> new ProcessorTimes(stolen, total));

  /** Begins a second; of its 200 ticks some will be stolen. */
  private void second(int number, long stolenTicks, long latency) {
    seconds.record(number * SECOND + number, latency);
    stolen += stolenTicks;
    total += 200;
  }

  @Test
  void countsAllSecondsOfAQuietMachine() {
    second(0, 0, FAST);
    second(1, 1, SLOW);
    second(2, 0, FAST);

    assertThat(seconds.seconds()).isEqualTo(2);
    assertThat(seconds.quiet()).isEqualTo(2);
    assertThat(seconds.latencies().getTotalCount()).isEqualTo(2);
    assertThat(seconds.latencies().getMaxValue()).isGreaterThanOrEqualTo(SLOW);
  }

  @Test
  void leavesOutADisturbedSecondAndTheOneAfterIt() {
    second(0, 0, FAST);
    second(1, 20, SLOW);
    second(2, 0, SLOW);
    second(3, 0, FAST);
    second(4, 0, FAST);

    assertThat(seconds.seconds()).isEqualTo(4);
    assertThat(seconds.quiet()).isEqualTo(2);
    assertThat(seconds.latencies().getMaxValue()).isLessThan(2 * FAST);
  }

  @Test
  void leavesOutAsManySecondsAfterALongStop() {
    second(0, 0, FAST);
    second(1, 300, FAST);
    second(5, 0, SLOW);
    second(6, 0, SLOW);
    second(7, 0, SLOW);
    second(8, 0, SLOW);
    second(9, 0, FAST);
    second(10, 0, FAST);

    assertThat(seconds.seconds()).isEqualTo(10);
    assertThat(seconds.quiet()).isEqualTo(2);
    assertThat(seconds.latencies().getMaxValue()).isLessThan(2 * FAST);
  }

  @Test
  void aSlowSecondOfAQuietMachineCounts() {
    second(0, 0, SLOW);
    second(1, 0, FAST);

    assertThat(seconds.latencies().getMaxValue()).isGreaterThanOrEqualTo(SLOW);
  }
}
