package dev.redline.server.data;

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
    exchange
        .loop()
        .whenDone(
            engine.explain(check.question()),
            explanation ->
                exchange.json(ExplanationJson.write(exchange.loop().text(), explanation, "")),
            failure -> Answers.failure(exchange, check.question(), failure));
  }
}
