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

  @Test
  void showsWhyBreakerIsOpenAlthoughStoreReplies() {
    try (LocalStore store = new LocalStore()) {
      HealthReport report =
          HealthReport.of(
              RulesStatus.NONE,
              store,
              BreakerState.OPEN,
              Optional.of("Redis at x: OOM command not allowed"),
              MissingRules.ALLOW);
      assertThat(report.details()).containsEntry("degraded", true);
      assertThat((Map<?, ?>) report.details().get("store"))
          .hasToString("{type=local, status=UP, reason=Redis at x: OOM command not allowed}");
    }
  }

  private static HealthReport report(RulesStatus rules, MissingRules missing) {
    try (LocalStore store = new LocalStore()) {
      return HealthReport.of(rules, store, BreakerState.CLOSED, Optional.empty(), missing);
    }
  }

  private static Map<?, ?> rules(HealthReport report) {
    return (Map<?, ?>) report.details().get("rules");
  }
}
