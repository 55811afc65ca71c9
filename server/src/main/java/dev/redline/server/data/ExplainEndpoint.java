package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.LimitCheck;
import dev.redline.core.RateLimitEngine;

/** {@code POST /v1/explain}: a decision with every rule that was considered; acquires nothing. */
final class ExplainEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;

  ExplainEndpoint(RateLimitEngine engine, CheckReader reader) {
    this.engine = engine;
    this.reader = reader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    LimitCheck check = reader.check(body).toCheck();
    // Every rule is evaluated, which would delay the other requests of this event loop.
    exchange
        .loop()
        .offLoop(
            () -> engine.explain(check).thenApply(ExplainEndpoint::text),
            exchange::json,
            failure -> EngineErrors.send(exchange, check, failure));
  }

  private static String text(Explanation explanation) {
    return ExplanationJson.write(new StringBuilder(), explanation, "").toString();
  }
}
