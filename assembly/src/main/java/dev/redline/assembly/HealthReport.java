package dev.redline.assembly;

import static java.util.stream.Collectors.joining;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StorageProvider.StoreHealth;
import dev.redline.resilience.BreakerState;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The health of an engine: up whenever decisions can be made by the configured strategy. A failing
 * store or an invalid rule document does not make it go down.
 *
 * @param up whether decisions can be made
 * @param details {@code degraded}, {@code store}, {@code breaker} and {@code rules}, in that order
 */
public record HealthReport(boolean up, Map<String, Object> details) {
  private static final int MAX_LINES = 10;
  private static final int MAX_LINE_LENGTH = 1000;

  /**
   * Makes the report; does no I/O.
   *
   * @param breakerFailure the last failure of a node whose breaker is not closed
   * @param missingRules what happens while there are no rules
   */
  public static HealthReport of(
      RulesStatus rules,
      StorageProvider store,
      BreakerState breaker,
      Optional<String> breakerFailure,
      MissingRules missingRules) {
    StoreHealth health = store.health();
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("degraded", !health.up() || breaker != BreakerState.CLOSED);
    details.put("store", details(store.type(), health, breakerFailure));
    details.put("breaker", breaker.name());
    details.put("rules", details(rules));
    return new HealthReport(rules.loaded() || missingRules == MissingRules.ALLOW, details);
  }

  private static Map<String, Object> details(
      String type, StoreHealth health, Optional<String> breakerFailure) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("type", type);
    details.put("status", health.up() ? "UP" : "DOWN");
    // A store that replies and does not decide, such as one without memory, has no reason itself.
    health
        .reason()
        .or(() -> breakerFailure)
        .ifPresent(reason -> details.put("reason", line(reason)));
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
    return errors.stream().limit(MAX_LINES).map(HealthReport::line).collect(joining("\n"))
        + (errors.size() == 1 ? " (1 error)" : " (" + errors.size() + " errors in all)");
  }

  private static String line(String error) {
    String line = error.replace('\n', ' ');
    return line.length() <= MAX_LINE_LENGTH ? line : line.substring(0, MAX_LINE_LENGTH - 1) + "…";
  }
}
