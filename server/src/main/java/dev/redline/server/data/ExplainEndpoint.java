package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.RateLimitEngine;
import java.util.concurrent.CompletionStage;

/** {@code POST /v1/explain}: a decision with every rule that was considered; acquires nothing. */
final class ExplainEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;
  private final LongTasks explaining;

  ExplainEndpoint(RateLimitEngine engine, CheckReader reader, LongTasks explaining) {
    this.engine = engine;
    this.reader = reader;
    this.explaining = explaining;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    // Every rule is evaluated, which would delay the other requests of this event loop.
    exchange
        .loop()
        .offLoop(
            explaining,
            1 + body.length / JsonBody.LARGE_BYTES,
            () -> explain(body),
            exchange::json,
            failure -> Router.sendFailure(exchange, failure));
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
