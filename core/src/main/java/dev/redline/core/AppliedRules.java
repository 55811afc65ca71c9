package dev.redline.core;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.rule.RateLimitRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules that applied to a question, and what they said beside what they demand. */
final class AppliedRules {
  private final List<CompiledRule> rules = new ArrayList<>(2);
  private List<String> shadowDenied = List.of();
  private @Nullable CompiledRule exempting;
  private @Nullable CompiledRule blocking;
  private @Nullable CompiledRule unidentified;

  void add(CompiledRule rule) {
    rules.add(rule);
  }

  /** Notes the ALLOW rule, of which there is at most one. */
  void exempt(CompiledRule by) {
    exempting = by;
  }

  /** Notes a DENY rule; the first decides. */
  void block(CompiledRule by) {
    blocking = blocking == null ? by : blocking;
  }

  /** Notes a rule that misses the caller's identity; the first decides. */
  void missIdentity(CompiledRule by) {
    unidentified = unidentified == null ? by : unidentified;
  }

  /** Notes a shadow rule that would refuse. */
  void denyInShadow(String ruleId) {
    if (shadowDenied.isEmpty()) {
      shadowDenied = new ArrayList<>(2);
    }
    shadowDenied.add(ruleId);
  }

  List<RateLimitRule> rules() {
    return rules.stream().map(CompiledRule::rule).toList();
  }

  List<String> shadowDenied() {
    return List.copyOf(shadowDenied);
  }

  @Nullable RateLimitRule exempting() {
    return exempting == null ? null : exempting.rule();
  }

  @Nullable RateLimitRule blocking() {
    return blocking == null ? null : blocking.rule();
  }

  @Nullable RateLimitRule unidentified() {
    return unidentified == null ? null : unidentified.rule();
  }
}
