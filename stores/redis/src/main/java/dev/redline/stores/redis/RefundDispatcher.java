package dev.redline.stores.redis;

import dev.redline.core.store.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends refunds, for which no caller waits. Tokens that cannot be refunded stay taken until they
 * are refilled.
 */
final class RefundDispatcher {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int MAX_IN_FLIGHT = 1024;

  private final Connector connector;
  private final Script script;
  private final AtomicInteger inFlight = new AtomicInteger();

  RefundDispatcher(Connector connector, Script script) {
    this.connector = connector;
    this.script = script;
  }

  /** Refunds the tokens that an acquisition took. */
  void refund(PendingAcquisition pending, Outcome outcome) {
    Refund refund = new Refund(pending, outcome);
    RedisConnection connection = connector.connection();
    if (connection == null || refund.keys().isEmpty()) {
      return;
    }
    if (inFlight.incrementAndGet() > MAX_IN_FLIGHT) {
      inFlight.decrementAndGet();
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: too many refunds are in flight");
      return;
    }
    send(connection, refund, true);
  }

  private void send(RedisConnection connection, Refund refund, boolean byDigest) {
    byte[] scriptOrDigest = byDigest ? script.digest() : script.text();
    try {
      connection
          .call(byDigest, scriptOrDigest, refund.keys(), refund.arguments(), new NumbersOutput())
          .whenComplete((reply, error) -> replied(connection, refund, error));
    } catch (RuntimeException e) {
      replied(connection, refund, e);
    }
  }

  private void replied(RedisConnection connection, Refund refund, @Nullable Throwable error) {
    if (error != null
        && ScriptFailure.of(ScriptDispatcher.cause(error)) == ScriptFailure.NO_SCRIPT) {
      send(connection, refund, false);
      return;
    }
    inFlight.decrementAndGet();
    if (error != null) {
      LOG.log(Level.DEBUG, "tokens stay taken until refilled: the refund failed", error);
    }
  }
}
