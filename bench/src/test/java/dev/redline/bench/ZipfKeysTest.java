package dev.redline.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfKeysTest {
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.9, 1.2})
  void drawsTheKthKeyAsOftenAsZipfsLawSays(double exponent) {
    ZipfKeys keys = new ZipfKeys(100, exponent);
    SplittableRandom random = new SplittableRandom(1);
    int draws = 200_000;
    int[] counts = new int[100];
    for (int i = 0; i < draws; i++) {
      counts[keys.draw(random)]++;
    }
    double sum = 0;
    for (int k = 0; k < counts.length; k++) {
      assertThat(counts[k] / (double) draws).isCloseTo(keys.share(k), within(0.004));
      sum += keys.share(k);
    }
    assertThat(sum).isCloseTo(1, within(1e-9));
    assertThat(keys.share(0) / keys.share(9)).isCloseTo(Math.pow(10, exponent), within(1e-9));
  }
}
