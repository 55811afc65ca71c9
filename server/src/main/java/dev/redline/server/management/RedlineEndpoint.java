package dev.redline.server.management;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.StorageProvider;
import dev.redline.rules.documents.loading.RuleLoader;
import dev.redline.server.settings.ServerSettings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/redline}: version, rules, store and settings of this node, without secrets. */
@Endpoint(id = "redline")
public final class RedlineEndpoint {
  private final RateLimitEngine engine;
  private final RuleLoader loader;
  private final StorageProvider store;
  private final ServerSettings settings;

  RedlineEndpoint(
      RateLimitEngine engine, RuleLoader loader, StorageProvider store, ServerSettings settings) {
    this.engine = engine;
    this.loader = loader;
    this.store = store;
    this.settings = settings;
  }

  /** Returns the description. */
  @ReadOperation
  public Map<String, Object> describe() {
    Map<String, Object> description = new LinkedHashMap<>();
    description.put("version", ServerVersion.current());
    description.put("enabled", engine.enabled());
    description.put("rules", rules());
    description.put("store", store());
    description.put("settings", settings());
    return description;
  }

  private Map<String, Object> rules() {
    Map<String, Object> rules = new LinkedHashMap<>();
    rules.put("source", loader.source());
    rules.put("version", loader.status().version());
    loader.status().loadedAt().ifPresent(at -> rules.put("loadedAt", at.toString()));
    RuleBook book = engine.book();
    if (book != null) {
      rules.put("ruleSets", book.ruleSets().keySet().stream().sorted().toList());
      rules.put("rules", book.rules().size());
      rules.put("plans", book.plans().size());
    }
    return rules;
  }

  private Map<String, Object> store() {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("type", store.type());
    if (store instanceof InMemoryStore inMemory) {
      described.put("keys", inMemory.size());
      described.put("maxKeys", settings.storage().maxKeys());
    }
    return described;
  }

  private Map<String, Object> settings() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("rl.mode", settings.core().mode());
    shown.put("rl.storage.type", settings.storage().type());
    shown.put("rl.config.source", settings.config().names());
    settings.config().path().ifPresent(path -> shown.put("rl.config.path", path.toString()));
    shown.put("rl.reload.enabled", settings.reload().enabled());
    settings.reload().strategy().ifPresent(how -> shown.put("rl.reload.strategy", how));
    shown.put("rl.reload.reset-buckets-on-reload", settings.reload().resetBuckets());
    shown.put("rl.reload.polling-interval", settings.reload().pollingInterval().toString());
    shown.put("rl.fail.strategy", settings.core().fail().strategy());
    shown.put("rl.fail.closed-status", settings.core().fail().closedStatus());
    settings.core().defaultRuleSetId().ifPresent(id -> shown.put("rl.default-rule-set-id", id));
    shown.put("rl.missing-rule-behavior", settings.core().missingRules());
    shown.put("rl.default-policy", settings.core().defaultPolicy());
    shown.put("rl.headers.legacy", settings.core().headers().legacy());
    shown.put("rl.headers.ietf", settings.core().headers().ietf());
    shown.put("rl.metrics.max-rules", settings.core().metrics().maxRules());
    shown.put("rl.metrics.exporters", settings.observability().exporters());
    shown.put("rl.logging.format", settings.observability().logFormat());
    shown.put("rl.server.host", settings.server().host());
    shown.put("rl.server.port", settings.server().port());
    shown.put("rl.server.drain-timeout", settings.server().drainTimeout().toString());
    shown.put("rl.server.inline-limits", settings.server().inlineLimits());
    return shown;
  }
}
