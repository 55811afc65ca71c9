package dev.redline.core.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Refill;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BandShareTest {
  @ParameterizedTest
  @CsvSource({
    "100, 100, 1s, 0.29, 29, 29, PT1S",
    "100, 100, 1s, 1.0, 100, 100, PT1S",
    "10, 1, 1s, 0.5, 5, 1, PT2S",
    "10, 3, 1s, 0.3, 3, 3, PT3.333334S",
    "1, 1, 1s, 0.1, 1, 1, PT10S",
    "9, 9, 1s, 0.1, 1, 9, PT10S"
  })
  void capacityAndRateAreThatMuchSmaller(
      long capacity,
      long refill,
      String period,
      double share,
      long expectedCapacity,
      long expectedRefill,
      Duration expectedPeriod) {
    RateLimitBand band = RateLimitBand.of(capacity, refill, Duration.parse("PT" + period));
    RateLimitBand part = BandShare.of(band.withLabel("b"), share);
    assertThat(part.capacity()).isEqualTo(expectedCapacity);
    assertThat(part.refillTokens()).isEqualTo(expectedRefill);
    assertThat(part.period()).isEqualTo(expectedPeriod);
    assertThat(part.label()).hasValue("b");
  }

  @Test
  void windowsKeepTheirLength() {
    RateLimitBand part = BandShare.of(RateLimitBand.slidingWindow(7, Duration.ofHours(1)), 0.5);
    assertThat(part).isEqualTo(RateLimitBand.slidingWindow(3, Duration.ofHours(1)));
    assertThat(BandShare.of(RateLimitBand.fixedWindow(1, Duration.ofHours(1)), 0.5).capacity())
        .isEqualTo(1);
  }

  @Test
  void intervalsKeepTheirPeriodWhileATokenIsLeft() {
    RateLimitBand band =
        RateLimitBand.builder()
            .capacity(10)
            .refillTokens(5)
            .period(Duration.ofSeconds(1))
            .refill(Refill.INTERVAL)
            .build();
    assertThat(BandShare.of(band, 0.5).refillTokens()).isEqualTo(2);
    assertThat(BandShare.of(band, 0.5).period()).isEqualTo(Duration.ofSeconds(1));
    assertThat(BandShare.of(band, 0.1).period()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void oneRequestPerYearStaysOne() {
    RateLimitBand part = BandShare.of(RateLimitBand.of(1, 1, Duration.ofDays(365)), 0.001);
    assertThat(part.capacity()).isEqualTo(1);
    assertThat(part.period()).isEqualTo(RateLimitBand.MAX_PERIOD);
  }

  @Test
  void rejectsShareOutOfRange() {
    RateLimitBand band = RateLimitBand.of(1, 1, Duration.ofSeconds(1));
    for (double share : new double[] {0, -1, 1.1, Double.NaN}) {
      assertThatThrownBy(() -> BandShare.of(band, share))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("share");
    }
  }
}
