package dev.redline.bench.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.arc.ClientProxy;
import io.quarkus.arc.Subclass;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class QuarkusBenchTest {
  @Inject NoOpBean.Unlimited unlimited;
  @Inject NoOpBean.OfAll ofAll;
  @Inject NoOpBean.OfEach ofEach;

  @Test
  void limitedBeansAloneAreInterceptedAndAllCallsAreAllowed() {
    for (NoOpBean bean : List.of(unlimited, ofAll, ofEach)) {
      assertThat(ClientProxy.unwrap(bean) instanceof Subclass).isEqualTo(bean != unlimited);
      for (int i = 0; i < 100; i++) {
        assertThat(bean.call("alice")).isEqualTo(5);
      }
    }
  }

  @Test
  void readsWhatProbesPrint() {
    assertThat(MeasuredMethod.Cost.parse("170.5 24.0 168.25"))
        .isEqualTo(new MeasuredMethod.Cost(168.25, 24));
  }

  @Test
  void readsOptionsAndRejectsUnknownOnes() {
    assertThat(QuarkusBench.MeasuredRounds.parse(List.of()).rounds()).isEqualTo(7);
    assertThat(QuarkusBench.MeasuredRounds.parse(List.of("--rounds", "5")).rounds()).isEqualTo(5);
    assertThat(QuarkusBench.MeasuredRounds.parse(List.of("--quick")).rounds()).isEqualTo(1);
    assertThatThrownBy(() -> QuarkusBench.MeasuredRounds.parse(List.of("--fast")))
        .hasMessageContaining("--fast");
    assertThatThrownBy(() -> QuarkusBench.MeasuredRounds.parse(List.of("--rounds", "0")))
        .hasMessageContaining("1 to 999");
  }

  @Test
  void medianAndSpread() {
    assertThat(QuarkusBench.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2.0);
    assertThat(QuarkusBench.median(List.of(4.0, 1.0))).isEqualTo(2.5);
    assertThat(QuarkusBench.spread(List.of(3.0, 1.0, 2.0))).isEqualTo(1.0);
  }
}
