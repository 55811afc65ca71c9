package dev.redline.server.rules;

import dev.redline.rules.documents.ReadResult;
import dev.redline.rules.documents.RuleDocument;
import dev.redline.rules.documents.loading.EffectiveRules;
import dev.redline.rules.documents.loading.RulesStatus;
import java.util.Map;
import java.util.Set;

/** What the admin API needs of the rule loader: the sources' rules, their state, and a reload. */
public interface RuleDocuments {
  /** Returns the rules of the read-only sources, as they contribute to those in force. */
  RuleDocument base();

  /** Returns the rules of the writable source, as they contribute to those in force. */
  RuleDocument own();

  /** Returns the ids of the plans of all sources, as last read: they may not be in force yet. */
  Set<String> planIds();

  /**
   * Validates a document as if the writable source held it, together with the other sources as last
   * read. Its errors say why it would not come into force.
   */
  ReadResult tryOut(String document);

  /** Returns the source of each rule in force, by rule id. */
  Map<String, EffectiveRules.Contribution> origins();

  /** Returns the version in force and the errors of the last load. */
  RulesStatus status();

  /** Reads all sources now; returns the status after it. */
  RulesStatus reload();

  /** Reads the writable source now: other sources, which may be slow, do not delay a change. */
  void reloadRepository();
}
