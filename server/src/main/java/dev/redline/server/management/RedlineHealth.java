package dev.redline.server.management;

import static java.util.stream.Collectors.joining;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StoreHealth;
import dev.redline.resilience.BreakerState;
import dev.redline.resilience.CircuitBreakingStore;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health component {@code redline}: up whenever decisions can be made by the configured
 * strategy. A failing store or an invalid rule document does not make it go down.
 */
final class RedlineHealth implements HealthIndicator {
  private static final int MAX_LINES = 10;
  private static final int MAX_LINE_LENGTH = 1000;

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
        store instanceof CircuitBreakingStore guarded ? guarded.state() : BreakerState.CLOSED;
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
      details.put("error", error(rules.errors()));
    }
    return details;
  }

  /** Returns the first errors and the number of all; the log contains all of them. */
  private static String error(List<String> errors) {
    return errors.stream().limit(MAX_LINES).map(RedlineHealth::line).collect(joining("\n"))
        + (errors.size() == 1 ? " (1 error)" : " (" + errors.size() + " errors in all)");
  }

  private static String line(String error) {
    String line = error.replace('\n', ' ');
    return line.length() <= MAX_LINE_LENGTH ? line : line.substring(0, MAX_LINE_LENGTH - 1) + "…";
  }
}
