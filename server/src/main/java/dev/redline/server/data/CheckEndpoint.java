package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.HttpSettings;

/** {@code POST /v1/check}: one decision. */
final class CheckEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;
  private final HttpSettings http;

  CheckEndpoint(RateLimitEngine engine, CheckReader reader, HttpSettings http) {
    this.engine = engine;
    this.reader = reader;
    this.http = http;
  }

  @Override
  public void handle(Exchange exchange, byte[] body) {
    PreparedCheck check = reader.check(body).toCheck();
    exchange
        .loop()
        .whenDone(
            check.decide(engine),
            result -> {
              if (!check.dryRun()) {
                exchange.logDenial(check.check(), result);
              }
              exchange.decision(
                  HttpDecision.of(result, http),
                  DecisionJson.write(exchange.loop().text(), result));
            },
            failure -> EngineErrors.send(exchange, check.check(), failure));
  }
}
