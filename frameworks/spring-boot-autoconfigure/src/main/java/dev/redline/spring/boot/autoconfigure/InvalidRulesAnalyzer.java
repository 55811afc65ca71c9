package dev.redline.spring.boot.autoconfigure;

import dev.redline.rules.documents.loading.InvalidRulesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports the errors of the first rule documents. */
final class InvalidRulesAnalyzer extends AbstractFailureAnalyzer<InvalidRulesException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidRulesException cause) {
    return new FailureAnalysis(
        "Redline's rules are not valid:\n\n    " + String.join("\n    ", cause.errors()),
        "Correct the rules above. Rules of rl.config.source INLINE are in the application's"
            + " configuration, those of FILE and CONFIG_MAP at rl.config.path.",
        cause);
  }
}
