package dev.redline.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.limit.BucketLimits;
import dev.redline.core.limit.BucketLimits.OwnerKind;
import dev.redline.core.limit.RateLimitBand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AllowanceCheckTest {
  private static final long START = 1_000_000;

  /** Two tokens, and another one every 10 ms. */
  private final AllowanceCheck check =
      new AllowanceCheck(
          new BucketLimits(
              OwnerKind.RULE, "r", List.of(RateLimitBand.of(2, 1, Duration.ofMillis(10)))),
          2,
          START);

  @Test
  void countsWhatIsAllowedWithoutAToken() {
    check.add(START, 0, true);
    check.add(START, 0, true);
    check.add(START + 9_999, 0, true);
    check.add(START + 10_000, 1, true);
    check.checkBefore(START + 50_000);
    assertThat(check.overAdmissions()).isEqualTo(1);
    assertThat(check.earlyDenials()).isZero();
  }

  @Test
  void refilledTokensMayBeTaken() {
    check.add(START, 0, true);
    check.add(START, 0, true);
    check.add(START + 10_000, 0, true);
    check.checkBefore(START + 50_000);
    assertThat(check.overAdmissions()).isZero();
  }

  @Test
  void countsADenialOnceAlthoughItsTokenStaysFree() {
    check.add(START, 0, true);
    check.add(START + 1, 0, false);
    check.add(START + 2, 0, false);
    check.checkBefore(START + 50_000);
    assertThat(check.denials()).isEqualTo(2);
    assertThat(check.earlyDenials()).isEqualTo(1);
  }

  @Test
  void sortsDecisionsThatArriveLate() {
    check.add(START + 10_000, 0, true);
    check.add(START + 1, 0, true);
    check.add(START, 0, true);
    check.checkBefore(START + 50_000);
    assertThat(check.overAdmissions()).isZero();
  }
}
