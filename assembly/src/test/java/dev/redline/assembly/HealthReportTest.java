package dev.redline.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.memory.LocalStore;
import dev.redline.resilience.BreakerState;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HealthReportTest {
  @Test
  void errorIsOneLineOfBoundedLength() {
    RulesStatus failed =
        new RulesStatus(
            0, Optional.empty(), List.of("talkative: many\nlines " + "x".repeat(1_000_000)));

    assertThat(String.valueOf(rules(report(failed, MissingRules.ALLOW)).get("error")))
        .startsWith("talkative: many lines xxx")
        .endsWith("… (1 error)")
        .hasSizeLessThan(1100)
        .hasLineCount(1);
  }

  @Test
  void isDownOnlyIfMissingRulesReject() {
    assertThat(report(RulesStatus.NONE, MissingRules.ALLOW).up()).isTrue();
    assertThat(report(RulesStatus.NONE, MissingRules.REJECT).up()).isFalse();
  }

  private static HealthReport report(RulesStatus rules, MissingRules missing) {
    try (LocalStore store = new LocalStore()) {
      return HealthReport.of(rules, store, BreakerState.CLOSED, missing);
    }
  }

  private static Map<?, ?> rules(HealthReport report) {
    return (Map<?, ?>) report.details().get("rules");
  }
}
