package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.RateLimitEngine;
import java.util.concurrent.CompletionStage;

/** {@code POST /v1/explain}: a decision with every rule that was considered; acquires nothing. */
final class ExplainEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;
  private final LongTasks explaining;
  private final LongTasks largeBodies;

  ExplainEndpoint(
      RateLimitEngine engine, CheckReader reader, LongTasks explaining, LongTasks largeBodies) {
    this.engine = engine;
    this.reader = reader;
    this.explaining = explaining;
    this.largeBodies = largeBodies;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    // Every rule is evaluated, which would delay the other requests of this event loop.
    if (body.length >= JsonBody.LARGE_BYTES) {
      exchange.offLoop(largeBodies, body.length, () -> explain(body), exchange::json);
    } else {
      exchange.offLoop(explaining, 1, () -> explain(body), exchange::json);
    }
  }

  private CompletionStage<String> explain(byte[] body) {
    PreparedCheck check = reader.check(body).toCheck();
    return EngineErrors.translate(check.check(), check.explain(engine))
        .thenApply(ExplainEndpoint::text);
  }

  private static String text(Explanation explanation) {
    return ExplanationJson.write(new StringBuilder(), explanation, "").toString();
  }
}
