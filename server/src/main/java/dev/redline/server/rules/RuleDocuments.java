package dev.redline.server.rules;

import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.Map;

/** The rules below the writable source, and the way to have a change of it take effect. */
public interface RuleDocuments {
  /**
   * Returns what the sources below the writable one said when they were last read without error.
   */
  RuleDocument base();

  /** Returns for each rule id the source whose rule is in force. */
  Map<String, EffectiveRules.Contribution> origins();

  /** Returns what is in force, and all that was wrong with the last load. */
  RulesStatus status();

  /** Looks at all sources now, and returns what is in force after it. */
  RulesStatus reload();
}
