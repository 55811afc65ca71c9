package dev.redline.bench.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private static List<Double> micros(double... windows) {
    return DoubleStream.of(windows).boxed().toList();
  }

  @Test
  void isNotOverWhileTheProcessorTimeFalls() {
    assertThat(WarmUp.isOver(micros(165, 94.7, 93.5, 60, 40.1))).isFalse();
    assertThat(WarmUp.isOver(micros(893, 103, 51, 38, 29, 18.5, 16.9, 18.9, 15.1, 16.3))).isFalse();
  }

  @Test
  void isOverWhenTheLastWindowsBringNoImprovement() {
    assertThat(WarmUp.isOver(micros(165, 60, 40.1, 40, 39.5, 39.8))).isTrue();
  }

  @Test
  void aSlowWindowIsNeitherAnImprovementNorAStandard() {
    assertThat(WarmUp.isOver(micros(40, 26, 25.5, 90, 25))).isTrue();
    assertThat(WarmUp.isOver(micros(40, 26, 90, 25, 20))).isFalse();
  }

  @Test
  void takesALeastTimeAndHasAnEnd() {
    assertThat(WarmUp.isOver(micros(26, 26, 26, 26))).isFalse();
    double[] falling = DoubleStream.iterate(1e9, each -> each / 2).limit(30).toArray();
    assertThat(WarmUp.isOver(micros(falling))).isTrue();
  }
}
