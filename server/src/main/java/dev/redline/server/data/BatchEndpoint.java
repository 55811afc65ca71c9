package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.JsonText;
import dev.redline.core.internal.http.ProblemDetails;
import dev.redline.server.data.CheckReader.BatchItem;
import dev.redline.server.data.CheckReader.InvalidItem;
import dev.redline.server.logging.DenialLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/check/batch}: up to 1000 decisions, made in order. */
final class BatchEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;

  BatchEndpoint(RateLimitEngine engine, CheckReader reader) {
    this.engine = engine;
    this.reader = reader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    List<BatchItem> items = reader.batch(body);
    List<CompletableFuture<Object>> results = new ArrayList<>(items.size());
    // Read here: results may arrive on other threads, which must not use the request.
    String traceParent = exchange.traceParent();
    for (BatchItem item : items) {
      results.add(decide(item, exchange.loop().denials(), traceParent));
    }
    exchange
        .loop()
        .whenDone(
            CompletableFuture.allOf(results.toArray(new CompletableFuture<?>[0])),
            done -> exchange.json(write(exchange.loop().text(), results)),
            failure -> Router.sendInternalError(exchange, failure));
  }

  /** Returns the {@link RateLimitResult} of an item, or the {@link HttpProblem} it has. */
  private CompletableFuture<Object> decide(
      BatchItem item, DenialLog denials, @Nullable String traceParent) {
    if (item instanceof InvalidItem invalid) {
      return CompletableFuture.completedFuture(invalid.problem());
    }
    CheckFields fields = (CheckFields) item;
    PreparedCheck check;
    try {
      check = fields.toCheck();
    } catch (HttpProblem problem) {
      return CompletableFuture.completedFuture(problem);
    }
    return check
        .decide(engine)
        .<Object>thenApply(
            result -> {
              if (!check.dryRun()) {
                denials.decided(check.check(), result, traceParent);
              }
              return result;
            })
        .exceptionally(
            failure -> {
              Throwable cause = failure.getCause() == null ? failure : failure.getCause();
              HttpProblem problem = EngineErrors.toProblem(check.check(), cause);
              return problem == null ? Router.internalError(traceParent, cause) : problem;
            })
        .toCompletableFuture();
  }

  private static StringBuilder write(StringBuilder out, List<CompletableFuture<Object>> results) {
    out.append("{\"decisions\":[");
    String separator = "";
    for (CompletableFuture<Object> result : results) {
      out.append(separator);
      separator = ",";
      if (result.join() instanceof RateLimitResult decision) {
        DecisionJson.write(out, decision);
      } else if (result.join() instanceof HttpProblem problem) {
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
