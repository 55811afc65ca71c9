package dev.redline.server.data;

import dev.redline.core.Explanation;
import dev.redline.core.RateLimitEngine;

/** {@code POST /v1/explain}: a decision taken apart, without taking anything. */
final class ExplainEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;

  ExplainEndpoint(RateLimitEngine engine, CheckReader reader) {
    this.engine = engine;
    this.reader = reader;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    Check check = reader.check(body);
    // Every rule is looked at, so other requests of this event loop would wait for it.
    exchange
        .loop()
        .offLoop(
            () -> engine.explain(check.question()).thenApply(ExplainEndpoint::text),
            exchange::json,
            failure -> EngineErrors.failure(exchange, check.question(), failure));
  }

  private static String text(Explanation explanation) {
    return ExplanationJson.write(new StringBuilder(), explanation, "").toString();
  }
}
