package dev.redline.server.admin;

import dev.redline.core.rule.RateLimitRule;
import dev.redline.rules.documents.RuleDocument;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One change of the writable source, and how history and audit describe it.
 *
 * @param document the content of the writable source after the change
 * @param action the action in the audit
 * @param summary the summary in the history
 * @param ruleId the changed rule; empty for a restore
 * @param restored the restored version; empty for other actions
 * @param before the rule before the change
 * @param after the rule after the change
 */
record RuleEdit(
    RuleDocument document,
    String action,
    String summary,
    Optional<String> ruleId,
    Optional<Long> restored,
    Optional<RateLimitRule> before,
    Optional<RateLimitRule> after) {
  static RuleEdit create(EditableLayers layers, RateLimitRule rule) {
    return put(layers, "create", "created", Optional.empty(), rule);
  }

  static RuleEdit update(EditableLayers layers, RateLimitRule before, RateLimitRule after) {
    return put(layers, "update", "changed", Optional.of(before), after);
  }

  /** Puts a rule in its old place, or at the end. */
  private static RuleEdit put(
      EditableLayers layers,
      String action,
      String verb,
      Optional<RateLimitRule> before,
      RateLimitRule after) {
    RuleDocument own = layers.own();
    List<RateLimitRule> rules = new ArrayList<>(own.rules());
    boolean exists = rules.removeIf(rule -> rule.id().equals(after.id()));
    int index = exists ? own.rules().indexOf(layers.own(after.id()).orElseThrow()) : rules.size();
    rules.add(index, after);
    Set<String> sets = new LinkedHashSet<>(own.ruleSetIds());
    sets.add(after.ruleSetId());
    return new RuleEdit(
        new RuleDocument(own.version(), own.plans(), rules, List.copyOf(sets)),
        action,
        "rule '" + after.id() + "' " + verb,
        Optional.of(after.id()),
        Optional.empty(),
        before,
        Optional.of(after));
  }

  /** Removes a rule; its rule set stays, even if it is empty now. */
  static RuleEdit delete(EditableLayers layers, RateLimitRule rule) {
    RuleDocument own = layers.own();
    List<RateLimitRule> rest =
        own.rules().stream().filter(other -> !other.id().equals(rule.id())).toList();
    return new RuleEdit(
        new RuleDocument(own.version(), own.plans(), rest, own.ruleSetIds()),
        "delete",
        "rule '" + rule.id() + "' deleted",
        Optional.of(rule.id()),
        Optional.empty(),
        Optional.of(rule),
        Optional.empty());
  }

  /** Returns whether this edit only removes a rule. */
  boolean isDeletion() {
    return ruleId.isPresent() && after.isEmpty();
  }

  static RuleEdit restore(long version, RuleDocument earlier) {
    return new RuleEdit(
        earlier,
        "restore",
        "version " + version + " restored",
        Optional.empty(),
        Optional.of(version),
        Optional.empty(),
        Optional.empty());
  }
}
