package dev.redline.server.data;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.RateLimitResult;
import dev.redline.core.internal.http.DecisionJson;
import dev.redline.core.internal.http.HttpDecision;
import dev.redline.core.internal.http.HttpSettings;
import java.util.concurrent.CompletionStage;

/** {@code POST /v1/check}: one decision. */
final class CheckEndpoint implements Endpoint {
  private final RateLimitEngine engine;
  private final CheckReader reader;
  private final HttpSettings http;
  private final LongTasks largeBodies;

  CheckEndpoint(
      RateLimitEngine engine, CheckReader reader, HttpSettings http, LongTasks largeBodies) {
    this.engine = engine;
    this.reader = reader;
    this.http = http;
    this.largeBodies = largeBodies;
  }

  /** A decision, with the check that it answers. */
  private record Decided(PreparedCheck check, RateLimitResult result) {}

  @Override
  public void handle(Exchange exchange, byte[] body) {
    if (body.length >= JsonBody.LARGE_BYTES) {
      exchange.offLoop(
          largeBodies,
          body.length,
          () -> decide(body),
          decided -> respond(exchange, decided.check(), decided.result()));
      return;
    }
    PreparedCheck check = reader.check(body).toCheck();
    exchange
        .loop()
        .whenDone(
            check.decide(engine),
            result -> respond(exchange, check, result),
            failure -> EngineErrors.send(exchange, check.check(), failure));
  }

  private CompletionStage<Decided> decide(byte[] body) {
    PreparedCheck check = reader.check(body).toCheck();
    return EngineErrors.translate(check.check(), check.decide(engine))
        .thenApply(result -> new Decided(check, result));
  }

  private void respond(Exchange exchange, PreparedCheck check, RateLimitResult result) {
    if (!check.dryRun()) {
      exchange.logDenial(check.check(), result);
    }
    exchange.decision(
        HttpDecision.of(result, http), DecisionJson.write(exchange.loop().text(), result));
  }
}
