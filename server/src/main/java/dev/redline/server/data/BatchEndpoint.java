package dev.redline.server.data;

import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.JsonText;
import dev.redline.core.internal.http.ProblemDetails;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** {@code POST /v1/check/batch}: many decisions, each seeing those before it. */
final class BatchEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;

  BatchEndpoint(RateLimitEngine engine, CheckReader reader) {
    this.engine = engine;
    this.reader = reader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    List<CheckReader.Item> items = reader.batch(body);
    List<CompletableFuture<Object>> answers = new ArrayList<>(items.size());
    for (CheckReader.Item item : items) {
      answers.add(answer(item));
    }
    exchange
        .loop()
        .whenDone(
            CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0])),
            done -> exchange.json(write(exchange.loop().text(), answers)),
            failure -> Router.failed(exchange, failure));
  }

  /** Returns the decision on an item, or the problem it has instead. */
  private CompletableFuture<Object> answer(CheckReader.Item item) {
    if (item instanceof CheckReader.Bad bad) {
      return CompletableFuture.completedFuture(bad.problem());
    }
    Check check = ((CheckReader.Good) item).check();
    LimitCheck question = check.question();
    return engine
        .decide(question, check.dryRun())
        .<Object>thenApply(result -> result)
        .exceptionally(
            failure -> {
              Throwable cause = failure.getCause() == null ? failure : failure.getCause();
              HttpProblem problem = EngineErrors.problem(question, cause);
              return problem == null ? Router.failure(cause) : problem;
            })
        .toCompletableFuture();
  }

  private static StringBuilder write(StringBuilder out, List<CompletableFuture<Object>> answers) {
    out.append("{\"decisions\":[");
    String separator = "";
    for (CompletableFuture<Object> answer : answers) {
      out.append(separator);
      separator = ",";
      if (answer.join() instanceof RateLimitResult result) {
        DecisionJson.write(out, result);
      } else if (answer.join() instanceof HttpProblem problem) {
        write(out, problem.problem());
      }
    }
    return out.append("]}");
  }

  private static void write(StringBuilder out, ProblemDetails problem) {
    out.append("{\"error\":{\"status\":").append(problem.status());
    JsonText.quote(out.append(",\"title\":"), problem.title());
    JsonText.quote(out.append(",\"detail\":"), problem.detail()).append("}}");
  }
}
