package dev.redline.spring.boot.autoconfigure;

import dev.redline.binding.InvalidBindingException;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports annotations that cannot be used, all of the application together. */
final class InvalidBindingAnalyzer extends AbstractFailureAnalyzer<InvalidBindingException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidBindingException cause) {
    return new FailureAnalysis(
        "Limits of methods cannot be used as written:\n\n"
            + cause.problems().stream()
                .map(problem -> "    " + problem.location() + "\n        " + problem.message())
                .collect(Collectors.joining("\n")),
        "Correct the @RateLimit annotations of the methods above, or the rules that they name.",
        cause);
  }
}
