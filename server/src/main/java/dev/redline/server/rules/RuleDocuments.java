package dev.redline.server.rules;

import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.Map;

/** What the admin API needs of the rule loader: the sources' rules, their state, and a reload. */
public interface RuleDocuments {
  /** Returns the rules of the read-only sources, as last read without error. */
  RuleDocument base();

  /** Returns the source of each rule in force, by rule id. */
  Map<String, EffectiveRules.Contribution> origins();

  /** Returns the version in force and the errors of the last load. */
  RulesStatus status();

  /** Reads all sources now; returns the status after it. */
  RulesStatus reload();

  /** Reads the writable source now: other sources, which may be slow, do not delay a change. */
  void reloadRepository();
}
