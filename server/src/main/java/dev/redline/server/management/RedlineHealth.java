package dev.redline.server.management;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreHealth;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.GuardedStore;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health component {@code redline}: up whenever decisions can be made by the configured
 * strategy, which a failing store or a bad rule document does not change.
 */
final class RedlineHealth implements HealthIndicator {
  private final RuleLoader loader;
  private final StorageProvider store;
  private final MissingRules missingRules;

  RedlineHealth(RuleLoader loader, StorageProvider store, MissingRules missingRules) {
    this.loader = loader;
    this.store = store;
    this.missingRules = missingRules;
  }

  @Override
  public Health health() {
    RulesStatus rules = loader.status();
    boolean decides = rules.loaded() || missingRules == MissingRules.ALLOW;
    StoreHealth health = store.health();
    BreakerState breaker =
        store instanceof GuardedStore guarded ? guarded.state() : BreakerState.CLOSED;
    return (decides ? Health.up() : Health.down())
        .withDetail("degraded", !health.up() || breaker != BreakerState.CLOSED)
        .withDetail("store", details(store.type(), health))
        .withDetail("breaker", breaker.name())
        .withDetail("rules", details(rules))
        .build();
  }

  private static Map<String, Object> details(String type, StoreHealth health) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("type", type);
    details.put("status", health.up() ? "UP" : "DOWN");
    health.reason().ifPresent(reason -> details.put("reason", reason));
    health.latency().ifPresent(latency -> details.put("latencyMs", latency.toNanos() / 1e6));
    details.putAll(health.details());
    return details;
  }

  private static Map<String, Object> details(RulesStatus rules) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("version", rules.version());
    rules.loadedAt().ifPresent(at -> details.put("loadedAt", at.toString()));
    if (!rules.errors().isEmpty()) {
      details.put("error", String.join("\n", rules.errors()));
    }
    return details;
  }
}
