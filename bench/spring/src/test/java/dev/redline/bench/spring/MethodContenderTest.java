package dev.redline.bench.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ConfigurableApplicationContext;

class MethodContenderTest {
  @ParameterizedTest
  @EnumSource
  void eachLibraryInterceptsItsMethodAndAllowsCalls(MethodContender contender) {
    try (ConfigurableApplicationContext context = MethodProbe.start(contender)) {
      NoOp bean = context.getBean(NoOp.class);

      assertThat(AopUtils.isAopProxy(bean)).isEqualTo(contender != MethodContender.UNLIMITED);
      for (int i = 0; i < 100; i++) {
        assertThat(bean.call("alice")).isEqualTo(5);
      }
    }
  }

  @Test
  void readsOptionsAndRejectsUnknownOnes() {
    assertThat(SpringBench.RoundPlan.parse(List.of()).rounds()).isEqualTo(7);
    assertThat(SpringBench.RoundPlan.parse(List.of("--rounds", "3")).rounds()).isEqualTo(3);
    assertThat(SpringBench.RoundPlan.parse(List.of("--quick")).rounds()).isEqualTo(1);
    assertThatThrownBy(() -> SpringBench.RoundPlan.parse(List.of("--fast")))
        .hasMessageContaining("--fast");
    assertThatThrownBy(() -> SpringBench.RoundPlan.parse(List.of("--rounds", "0")))
        .hasMessageContaining("1 to 999");
  }

  @Test
  void medianAndSpread() {
    assertThat(SpringBench.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2.0);
    assertThat(SpringBench.spread(List.of(3.0, 1.0, 2.0))).isEqualTo(1.0);
  }
}
