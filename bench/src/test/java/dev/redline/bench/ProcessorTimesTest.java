package dev.redline.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessorTimesTest {
  @Test
  void readsTheSumsOfAllProcessors() {
    ProcessorTimes times =
        ProcessorTimes.parse("cpu  10 1 5 70 2 3 4 5 99 99\ncpu0 1 1 1 1 1 1 1 1 0 0\n");

    assertThat(times).isEqualTo(new ProcessorTimes(5, 100));
  }

  @Test
  void rejectsOtherTexts() {
    assertThatThrownBy(() -> ProcessorTimes.parse("intr 1 2 3"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("intr");
  }

  @Test
  void aHundredthOfStolenTimeDisturbs() {
    ProcessorTimes before = new ProcessorTimes(50, 1000);

    assertThat(new ProcessorTimes(51, 1200).stolenSince(before)).isEqualTo(0.005);
    assertThat(new ProcessorTimes(51, 1200).disturbedSince(before)).isFalse();
    assertThat(new ProcessorTimes(52, 1200).disturbedSince(before)).isTrue();
    assertThat(before.disturbedSince(before)).isFalse();
  }

  @Test
  @Timeout(30)
  void theTimesOfThisMachineIncrease() {
    ProcessorTimes before = ProcessorTimes.now();
    while (ProcessorTimes.now().total() == before.total()) {
      Thread.onSpinWait();
    }

    assertThat(ProcessorTimes.now().total()).isGreaterThan(before.total());
  }
}
