package dev.redline.spring.boot.autoconfigure;

import dev.redline.application.ApplicationSettings;
import dev.redline.application.WebFilterSettings;
import dev.redline.assembly.AssemblySettings;
import dev.redline.assembly.RedlineAssembly;
import dev.redline.core.internal.memory.InMemoryStore;
import dev.redline.core.rule.RuleBook;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * {@code /actuator/redline}: version, rules, store and settings of this application, without
 * secrets. The same shape as that of the service.
 */
@Endpoint(id = "redline")
public final class RateLimitingEndpoint {
  private final RedlineAssembly assembly;
  private final ApplicationSettings settings;

  RateLimitingEndpoint(RedlineAssembly assembly, ApplicationSettings settings) {
    this.assembly = assembly;
    this.settings = settings;
  }

  /** Returns the description. */
  @ReadOperation
  public Map<String, Object> describe() {
    Map<String, Object> description = new LinkedHashMap<>();
    description.put("version", RedlineVersion.current());
    description.put("enabled", assembly.engine().enabled());
    description.put("rules", rules());
    description.put("store", store());
    description.put("settings", settings());
    return description;
  }

  private Map<String, Object> rules() {
    Map<String, Object> rules = new LinkedHashMap<>();
    RulesStatus status = assembly.rulesStatus();
    rules.put("source", assembly.ruleLoader().source());
    rules.put("version", status.version());
    status.loadedAt().ifPresent(at -> rules.put("loadedAt", at.toString()));
    RuleBook book = assembly.engine().book();
    if (book != null) {
      rules.put("ruleSets", book.ruleSets().keySet().stream().sorted().toList());
      rules.put("rules", book.rules().size());
      rules.put("plans", book.plans().size());
    }
    return rules;
  }

  private Map<String, Object> store() {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("type", assembly.store().type());
    if (assembly.store() instanceof InMemoryStore inMemory) {
      described.put("keys", inMemory.size());
      described.put("maxKeys", settings.assembly().storage().maxKeys());
    }
    return described;
  }

  private Map<String, Object> settings() {
    AssemblySettings shown = settings.assembly();
    WebFilterSettings filter =
        settings.filters().getOrDefault(WebFilterSettings.DEFAULT, WebFilterSettings.NONE);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("rl.mode", shown.core().mode());
    values.put("rl.handler", shown.remote().isPresent() ? "REMOTE" : "EMBEDDED");
    shown.remote().ifPresent(server -> values.put("rl.remote.uri", server.uri()));
    values.put("rl.storage.type", shown.storage().type());
    values.put("rl.config.source", shown.config().names());
    shown.config().path().ifPresent(path -> values.put("rl.config.path", path.toString()));
    values.put("rl.reload.enabled", shown.reload().enabled());
    shown.reload().strategy().ifPresent(how -> values.put("rl.reload.strategy", how));
    values.put("rl.reload.reset-buckets-on-reload", shown.reload().resetBuckets());
    values.put("rl.reload.polling-interval", shown.reload().pollingInterval().toString());
    values.put("rl.fail.strategy", shown.core().fail().strategy());
    values.put("rl.fail.closed-status", shown.core().fail().closedStatus());
    shown.core().defaultRuleSetId().ifPresent(id -> values.put("rl.default-rule-set-id", id));
    values.put("rl.missing-rule-behavior", shown.core().missingRules());
    values.put("rl.default-policy", shown.core().defaultPolicy());
    values.put("rl.headers.legacy", shown.core().headers().legacy());
    values.put("rl.headers.ietf", shown.core().headers().ietf());
    values.put("rl.metrics.max-rules", shown.core().metrics().maxRules());
    values.put("rl.filter.enabled", filter.enabled());
    values.put("rl.filter.order", filter.order());
    values.put("rl.annotations.enabled", settings.annotations().enabled());
    return values;
  }
}
