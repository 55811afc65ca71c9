package dev.redline.quarkus;

import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.BucketReset;
import dev.redline.core.RateLimitEngine;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/** What the card of the Dev UI calls; a bean in development mode alone. */
@Singleton
public class RedlineDevUi {
  private final RateLimitEngine engine;
  private final RedlineAssembly assembly;

  @Inject
  RedlineDevUi(RateLimitEngine engine, RedlineAssembly assembly) {
    this.engine = engine;
    this.assembly = assembly;
  }

  /** Returns the rules and plans in force. */
  public JsonArray rules() {
    JsonArray rows = new JsonArray();
    RuleBook book = engine.book();
    if (book != null) {
      for (RateLimitRule rule : book.rules()) {
        rows.add(row(rule.ruleSetId(), rule.id(), rule.bands()));
      }
      for (RateLimitPlan plan : book.plans().values()) {
        rows.add(row("", "plan " + plan.id(), plan.bands()));
      }
    }
    return rows;
  }

  private static JsonObject row(String ruleSet, String name, List<RateLimitBand> bands) {
    return new JsonObject()
        .put("ruleSet", ruleSet)
        .put("rule", name)
        .put("limits", String.join(", ", bands.stream().map(RateLimitBand::toString).toList()));
  }

  /** Returns the health of the engine: store, circuit breaker and rules. */
  public JsonObject state() {
    return new JsonObject(assembly.health().details()).put("enabled", engine.enabled());
  }

  /** Fills all buckets of a rule; the result is true, or what went wrong. */
  public Uni<String> reset(String rule) {
    return Uni.createFrom()
        .completionStage(() -> engine.reset(BucketReset.ofRule(rule)))
        .map(done -> "reset " + String.join(", ", done))
        .onFailure()
        .recoverWithItem(failure -> Optional.ofNullable(failure.getMessage()).orElse("failed"));
  }
}
