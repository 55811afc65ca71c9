package dev.redline.server.admin;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.server.rules.RuleLayers;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rules that an edit starts from, in two layers.
 *
 * @param base the rules of the read-only sources
 * @param own the rules of the writable source; they replace those of {@code base} with the same id
 */
record EditableLayers(RuleDocument base, RuleDocument own) {
  /** Returns a rule of the writable source. */
  Optional<RateLimitRule> own(String id) {
    return find(own, id);
  }

  /** Returns the rule in force. */
  Optional<RateLimitRule> effective(String id) {
    return own(id).or(() -> find(base, id));
  }

  /** Returns the ids of the plans that rules may name. */
  Set<String> plans() {
    return RuleLayers.layered(base, own).plans().stream()
        .map(RateLimitPlan::id)
        .collect(Collectors.toSet());
  }

  private static Optional<RateLimitRule> find(RuleDocument document, String id) {
    return document.rules().stream().filter(rule -> rule.id().equals(id)).findFirst();
  }
}
