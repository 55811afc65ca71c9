package dev.redline.spring.boot.autoconfigure;

import dev.redline.core.settings.InvalidSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports {@code rl.*} properties that are unknown or have a wrong value. */
final class InvalidSettingsAnalyzer extends AbstractFailureAnalyzer<InvalidSettingsException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidSettingsException cause) {
    return new FailureAnalysis(
        "Redline's properties are not valid:\n\n    " + String.join("\n    ", cause.problems()),
        "Correct or remove the properties above.",
        cause);
  }
}
