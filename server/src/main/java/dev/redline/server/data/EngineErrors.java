package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.UnknownNameException;
import org.jspecify.annotations.Nullable;

/** Says in HTTP why the engine has no answer to a question. */
final class EngineErrors {
  private EngineErrors() {}

  /** Answers a request whose question failed. */
  static void failure(Exchange exchange, LimitCheck question, Throwable failure) {
    HttpProblem problem = problem(question, failure);
    if (problem == null) {
      Router.failed(exchange, failure);
    } else {
      exchange.problem(problem);
    }
  }

  /** Returns what is wrong with a question, or null if the fault is not the caller's. */
  static @Nullable HttpProblem problem(LimitCheck question, Throwable failure) {
    if (failure instanceof UnknownNameException unknown) {
      return new HttpProblem(404, String.valueOf(unknown.getMessage()));
    }
    if (failure instanceof IllegalArgumentException wrong) {
      String message = String.valueOf(wrong.getMessage());
      boolean named = !(question instanceof LimitCheck.OfRule) || message.startsWith("identity");
      return new HttpProblem(400, named ? message : "identity: " + message);
    }
    return null;
  }
}
