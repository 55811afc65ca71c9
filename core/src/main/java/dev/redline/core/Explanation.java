package dev.redline.core;

import dev.redline.core.RateLimitResult.BandStatus;
import dev.redline.core.rule.MatchCondition.NoMatch;
import java.util.List;
import java.util.Optional;

/**
 * A decision taken apart, without taking anything.
 *
 * @param decision the result that the check would have
 * @param rules every rule that was looked at, in order of evaluation
 */
public record Explanation(RateLimitResult decision, List<Entry> rules) {
  /** Copies the list. */
  public Explanation {
    rules = List.copyOf(rules);
  }

  /**
   * One rule or plan.
   *
   * @param ruleSetId the rule set; absent for a plan
   * @param id the rule or plan
   * @param plan whether it is a plan
   * @param why why it does not apply; absent if it does
   * @param field the header or attribute whose condition failed, if that is why
   * @param identity who is counted, as people may see it; empty for everybody
   * @param bands the state of each band as it is, with the tokens that this process leased
   * @param leased how many tokens this process has taken ahead of demand and not spent
   */
  public record Entry(
      Optional<String> ruleSetId,
      String id,
      boolean plan,
      Optional<NoMatch> why,
      Optional<String> field,
      List<String> identity,
      List<BandStatus> bands,
      long leased) {
    /** Copies the lists. */
    public Entry {
      identity = List.copyOf(identity);
      bands = List.copyOf(bands);
    }

    /** Returns whether the rule applies. */
    public boolean matched() {
      return why.isEmpty();
    }
  }
}
