package dev.redline.server.rules;

import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.RulesStatus;

/** The rules below the writable source, and the way to have a change of it take effect. */
public interface RuleDocuments {
  /**
   * Returns what the sources below the writable one said when they were last read without error.
   */
  RuleDocument base();

  /** Looks at all sources now, and returns what is in force after it. */
  RulesStatus reload();
}
