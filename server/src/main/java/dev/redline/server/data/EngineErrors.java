package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.UnknownNameException;
import org.jspecify.annotations.Nullable;

/** Maps the exceptions of the engine to HTTP errors. */
final class EngineErrors {
  private EngineErrors() {}

  /** Responds to a request whose check failed with an exception. */
  static void send(Exchange exchange, LimitCheck check, Throwable failure) {
    HttpProblem problem = toProblem(check, failure);
    if (problem == null) {
      Router.sendInternalError(exchange, failure);
    } else {
      exchange.problem(problem);
    }
  }

  /** Returns the error if the check is invalid, or null if the failure is internal. */
  static @Nullable HttpProblem toProblem(LimitCheck check, Throwable failure) {
    if (failure instanceof HttpProblem problem) {
      return problem;
    }
    if (failure instanceof UnknownNameException unknown) {
      return new HttpProblem(404, String.valueOf(unknown.getMessage()));
    }
    if (failure instanceof IllegalArgumentException invalid) {
      String message = String.valueOf(invalid.getMessage());
      boolean namesField = !(check instanceof LimitCheck.OfRule) || message.startsWith("identity");
      return new HttpProblem(400, namesField ? message : "identity: " + message);
    }
    return null;
  }
}
