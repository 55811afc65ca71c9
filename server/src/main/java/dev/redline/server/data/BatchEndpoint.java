package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.JsonText;
import dev.redline.core.internal.http.ProblemDetails;
import dev.redline.server.data.CheckReader.BatchItem;
import dev.redline.server.data.CheckReader.InvalidItem;
import dev.redline.server.logging.DenialLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/check/batch}: up to 1000 decisions, made in order.
 *
 * <p>A check may take long, for example if the signature of its token is verified. So a batch
 * leaves the event loop to other requests after a time slice, and continues later. A large one is
 * decided on another thread.
 */
final class BatchEndpoint implements Endpoint {
  private static final long SLICE_NANOS = 2_000_000;
  private static final Duration PAUSE = Duration.ofMillis(1);

  /** How many checks are decided between two looks at the clock. */
  private static final int STEP = 8;

  private final RateLimitEngine engine;
  private final CheckReader reader;
  private final LongTasks largeBodies;

  BatchEndpoint(RateLimitEngine engine, CheckReader reader, LongTasks largeBodies) {
    this.engine = engine;
    this.reader = reader;
    this.largeBodies = largeBodies;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    // Read here: results may arrive on other threads, which must not use the request.
    String traceParent = exchange.traceParent();
    if (body.length >= JsonBody.LARGE_BYTES) {
      exchange.offLoop(
          largeBodies,
          body.length,
          () -> decideAll(exchange, body, traceParent),
          results -> respond(exchange, results));
      return;
    }
    List<BatchItem> items = reader.batch(body);
    decideRest(exchange, items, new ArrayList<>(items.size()), traceParent);
  }

  private CompletionStage<List<CompletableFuture<Object>>> decideAll(
      Exchange exchange, byte[] body, @Nullable String traceParent) {
    List<BatchItem> items = reader.batch(body);
    List<CompletableFuture<Object>> results = new ArrayList<>(items.size());
    for (BatchItem item : items) {
      exchange.requireClient();
      results.add(decide(item, exchange.loop().denials(), traceParent));
    }
    return all(results).thenApply(done -> results);
  }

  private static CompletableFuture<?> all(List<CompletableFuture<Object>> results) {
    return CompletableFuture.allOf(results.toArray(new CompletableFuture<?>[0]));
  }

  private static void respond(Exchange exchange, List<CompletableFuture<Object>> results) {
    exchange.json(write(exchange.loop().text(), results));
  }

  /** Decides the items that have no result yet, and sends the response after the last one. */
  private void decideRest(
      Exchange exchange,
      List<BatchItem> items,
      List<CompletableFuture<Object>> results,
      @Nullable String traceParent) {
    long start = System.nanoTime();
    for (int i = results.size(); i < items.size(); i++) {
      if (i % STEP == 0 && System.nanoTime() - start > SLICE_NANOS) {
        // By a timer: the event loop would run queued tasks before it reads from connections.
        exchange.loop().after(PAUSE, () -> continueWith(exchange, items, results, traceParent));
        return;
      }
      results.add(decide(items.get(i), exchange.loop().denials(), traceParent));
    }
    exchange
        .loop()
        .whenDone(
            all(results),
            done -> respond(exchange, results),
            failure -> Router.sendInternalError(exchange, failure));
  }

  private void continueWith(
      Exchange exchange,
      List<BatchItem> items,
      List<CompletableFuture<Object>> results,
      @Nullable String traceParent) {
    try {
      decideRest(exchange, items, results, traceParent);
    } catch (RuntimeException e) {
      Router.sendInternalError(exchange, e);
    }
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
              Throwable error = EngineErrors.translate(check.check(), failure);
              return error instanceof HttpProblem
                  ? error
                  : Router.internalError(traceParent, error);
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
