package dev.redline.rules.documents.internal.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redline.core.limit.RateLimitBand;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.BigRange;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.Scale;

@Tag("properties")
class RefillRatePropertyTest {
  @Property
  void readsSixDecimalsExactly(
      @ForAll @BigRange(min = "0.000001", max = "99999") @Scale(6) BigDecimal rate) {
    RefillRate read = RefillRate.perSecond(rate);
    assertThat(BigDecimal.valueOf(read.tokens()))
        .isEqualByComparingTo(rate.multiply(BigDecimal.valueOf(read.period().toSeconds())));
    assertThat(read.period()).isEqualTo(Duration.ofSeconds(read.period().toSeconds()));
  }

  @Property
  void readsAnyDoubleWithinItsPrecision(
      @ForAll @DoubleRange(min = 0.01, max = 1e9) double written) {
    double rate = written / 97;
    RefillRate read = RefillRate.perSecond(new BigDecimal(Double.toString(rate)));
    RateLimitBand.builder().capacity(1).refillTokens(read.tokens()).period(read.period());
    BigDecimal seconds = new BigDecimal(read.period().toNanos()).movePointLeft(9);
    double met =
        new BigDecimal(read.tokens()).divide(seconds, MathContext.DECIMAL128).doubleValue();
    assertThat(Math.abs(met - rate)).isLessThanOrEqualTo(rate * 1e-12);
  }

  @Example
  void readsWrittenOutThirdAsAThird() {
    assertThat(RefillRate.perSecond(new BigDecimal("0.3333333333333333")))
        .isEqualTo(new RefillRate(1, Duration.ofSeconds(3)));
  }

  @Example
  void rejectsHugeExponentsAtOnce() {
    for (String text : new String[] {"1e-999999999", "1e999999999", "-1", "0"}) {
      assertThatThrownBy(() -> RefillRate.perSecond(new BigDecimal(text)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("refillTokensPerSecond");
    }
  }
}
