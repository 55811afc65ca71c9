package dev.redline.rules.documents;

import dev.redline.core.rule.RateLimitPlan;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.List;

/**
 * The rules and plans of one source, with placeholders replaced and short forms expanded.
 *
 * @param version the version given in the document; 1 unless set
 * @param plans the plans, in the order written
 * @param rules the rules of all sets, in the order written
 * @param ruleSetIds all rule sets, those without rules included
 */
public record RuleDocument(
    long version, List<RateLimitPlan> plans, List<RateLimitRule> rules, List<String> ruleSetIds) {
  /** Copies the lists. */
  public RuleDocument {
    plans = List.copyOf(plans);
    rules = List.copyOf(rules);
    ruleSetIds = List.copyOf(ruleSetIds);
  }

  /** Returns a builder of a rule book with the rules and plans of this document. */
  public RuleBook.Builder toBook() {
    RuleBook.Builder book = RuleBook.builder().version(version).plans(plans).rules(rules);
    ruleSetIds.forEach(book::ruleSet);
    return book;
  }
}
