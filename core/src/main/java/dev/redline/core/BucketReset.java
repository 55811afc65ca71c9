package dev.redline.core;

import dev.redline.core.internal.rule.CompiledRule;
import dev.redline.core.limit.BucketLimits;
import dev.redline.core.rule.RateLimitRuleSet;
import dev.redline.core.rule.RuleBook;
import dev.redline.core.store.RateLimitKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Selects the buckets to reset to full: of a rule set, of a rule, or of one caller of a rule. */
public final class BucketReset {
  private final Optional<String> ruleSetId;
  private final Optional<String> ruleId;
  private final Optional<List<String>> identity;

  private BucketReset(
      Optional<String> ruleSetId, Optional<String> ruleId, Optional<List<String>> identity) {
    this.ruleSetId = ruleSetId;
    this.ruleId = ruleId;
    this.identity = identity.map(List::copyOf);
  }

  /** Returns the reset of all rules of a rule set. */
  public static BucketReset ofRuleSet(String id) {
    return new BucketReset(Optional.of(id), Optional.empty(), Optional.empty());
  }

  /** Returns the reset of a rule. */
  public static BucketReset ofRule(String id) {
    return new BucketReset(Optional.empty(), Optional.of(id), Optional.empty());
  }

  /** Returns the reset of one caller of a rule, given by the values of the rule's key fields. */
  public static BucketReset ofCaller(String ruleId, List<String> identity) {
    return new BucketReset(Optional.empty(), Optional.of(ruleId), Optional.of(identity));
  }

  String kind() {
    return ruleId.isPresent() ? "rule" : "rule set";
  }

  String name() {
    return ruleId.or(() -> ruleSetId).orElse("");
  }

  CompletionStage<List<String>> in(RuleBook book, StoreWithFallback tiers) {
    List<CompiledRule> rules = rules(book);
    if (identity.isPresent()) {
      CompiledRule rule = rules.get(0);
      String caller = rule.identityOf(identity.get());
      return rule.limiting()
          ? tiers.reset(new RateLimitKey(rule.limits(), caller)).thenApply(done -> ids(rules))
          : CompletableFuture.completedFuture(ids(rules));
    }
    List<BucketLimits> owners =
        rules.stream().filter(CompiledRule::limiting).map(CompiledRule::limits).toList();
    return owners.isEmpty()
        ? CompletableFuture.completedFuture(ids(rules))
        : tiers.reset(owners).thenApply(done -> ids(rules));
  }

  private List<CompiledRule> rules(RuleBook book) {
    if (ruleId.isPresent()) {
      CompiledRule rule = book.compiled().rule(ruleId.get());
      if (rule == null) {
        throw new UnknownNameException("rule", ruleId.get());
      }
      return List.of(rule);
    }
    RateLimitRuleSet set =
        ruleSetId
            .flatMap(book::ruleSet)
            .orElseThrow(() -> new UnknownNameException(kind(), name()));
    return book.compiled().rules().stream()
        .filter(rule -> rule.ruleSetId().equals(set.id()))
        .toList();
  }

  private static List<String> ids(List<CompiledRule> rules) {
    return rules.stream().map(compiled -> compiled.rule().id()).toList();
  }
}
