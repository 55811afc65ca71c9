package dev.redline.server.admin;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StorageProvider;
import dev.redline.core.store.StorageProvider.StoreHealth;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The counters of this node since its start, per rule, taken from its metrics. */
final class RuleCounts {
  private static final Map<String, String> RESULTS =
      Map.of(
          "allowed", "allowed",
          "denied", "denied",
          "shadow_denied", "shadowDenied",
          "error", "error");

  private final MeterRegistry registry;
  private final RateLimitEngine engine;
  private final StorageProvider store;

  RuleCounts(MeterRegistry registry, RateLimitEngine engine, StorageProvider store) {
    this.registry = registry;
    this.engine = engine;
    this.store = store;
  }

  Map<String, Object> describe() {
    RuleBook book = engine.book();
    StoreHealth health = store.health();
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("version", book == null ? 0 : book.version());
    described.put("enabled", engine.enabled());
    described.put("store", Map.of("type", store.type(), "status", health.up() ? "UP" : "DOWN"));
    described.put("rules", rules());
    return described;
  }

  private List<Object> rules() {
    Map<String, Map<String, Object>> byName = new TreeMap<>();
    for (Counter counter : registry.find("ratelimit.requests").counters()) {
      String ruleSet = String.valueOf(counter.getId().getTag("ruleset"));
      String rule = String.valueOf(counter.getId().getTag("rule"));
      String result = RESULTS.get(String.valueOf(counter.getId().getTag("result")));
      if (result != null) {
        byName
            .computeIfAbsent(ruleSet + " " + rule, name -> named(ruleSet, rule))
            .put(result, (long) counter.count());
      }
    }
    return new ArrayList<>(byName.values());
  }

  private static Map<String, Object> named(String ruleSet, String rule) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("ruleSetId", ruleSet);
    fields.put("ruleId", rule);
    List.of("allowed", "denied", "shadowDenied", "error").forEach(name -> fields.put(name, 0L));
    return fields;
  }
}
