package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.UnknownNameException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Maps the exceptions of the engine to HTTP errors. */
final class EngineErrors {
  private EngineErrors() {}

  /** Responds to a request whose check failed with an exception. */
  static void send(Exchange exchange, LimitCheck check, Throwable failure) {
    Router.sendFailure(exchange, translate(check, failure));
  }

  /** Returns a stage that fails with an {@link HttpProblem} if the check is invalid. */
  static <T> CompletionStage<T> translate(LimitCheck check, CompletionStage<T> stage) {
    return stage.exceptionallyCompose(
        failure -> CompletableFuture.failedFuture(translate(check, failure)));
  }

  /** Returns the {@link HttpProblem} if the check is invalid, else the failure itself. */
  static Throwable translate(LimitCheck check, Throwable failure) {
    Throwable cause = failure.getCause();
    if (failure instanceof CompletionException && cause != null) {
      return translate(check, cause);
    }
    if (failure instanceof UnknownNameException unknown) {
      return new HttpProblem(404, String.valueOf(unknown.getMessage()));
    }
    if (failure instanceof IllegalArgumentException invalid) {
      String message = String.valueOf(invalid.getMessage());
      boolean namesField = !(check instanceof LimitCheck.OfRule) || message.startsWith("identity");
      return new HttpProblem(400, namesField ? message : "identity: " + message);
    }
    return failure;
  }
}
